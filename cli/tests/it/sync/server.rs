//! Connections to a Postgres server: the supported parts of an address, TLS and passwords.

use std::{env, fs, os::unix::fs::PermissionsExt, process::Command};

use digital_assets::sandbox::Sandbox;

use super::{Books, postgres::Database};
use crate::tool::{Ended, Tool, bare, ended};

fn variable(name: &str) -> String {
    env::var(name).expect("cli/tests/with-postgres sets it")
}

/// Runs a sync into a database on this host. The tool has its own home directory.
async fn sync(tool: &Tool, host: &str, database: &str, settings: &[(&str, &str)]) -> Ended {
    let to = variable("TEST_POSTGRES").replace("/postgres", database);
    let to = to.replace("127.0.0.1", host);
    let mut command = tool.command(&["sync", "list-deposit-addresses", "--to", &to]);
    command.env("HOME", tool.path("")).envs(settings.iter().copied());
    ended(command.spawn().unwrap()).await
}

#[tokio::test]
async fn an_address_has_one_host_and_supported_options_only() {
    let dry_run = async |to: &str| {
        let arguments = ["sync", "list-deposit-addresses", "--dry-run", "--to", to];
        ended(bare(&arguments).spawn().unwrap()).await
    };
    for (address, words) in [
        ("postgres://me@a,b/books", "host names several hosts; name one"),
        ("postgres://me@h/books?host=a,b", "host names several hosts; name one"),
        ("postgres://me@a:1,b:2/books", "host names several hosts; name one"),
        ("postgres://me@h:5432,5433/books", "port isn't a number up to 65535"),
        ("postgres://me@h:0/books", "port isn't a number up to 65535"),
        ("postgres://h/b?hostaddr=127.0.0.1", "the option hostaddr, which isn't supported"),
        ("postgres://h/b?sslcert=me.pem", "the option sslcert, which isn't supported"),
        ("postgres://h/b?target_session_attrs=any", "target_session_attrs, which isn't supported"),
        ("postgres://h/b?channel_binding=require", "channel_binding, which isn't supported"),
        ("postgres://h/b?gssencmode=disable", "gssencmode, which isn't supported"),
        ("postgres://h/b?service=s", "the option service, which isn't supported"),
        ("postgres://h/b?keepalives=0", "the option keepalives, which isn't supported"),
        ("postgres://h/b?ssl=true", "the option ssl, which isn't supported"),
        ("postgres://h/b?unheard_of=1", "the option unheard_of, which isn't supported"),
        ("postgres://h/b?sslmode", "isn't of the form postgres://"),
        ("postgres://h/b?sslmode=prefer", "without sslmode, TLS is used and verified everywhere"),
        ("postgres://h/b?sslmode=allow", "without sslmode, TLS is used and verified everywhere"),
        ("postgres://h/b?sslmode=on", "sslmode isn't disable, require, verify-ca or verify-full"),
        ("postgres://h/b?connect_timeout=soon", "connect_timeout isn't a number of seconds"),
        ("postgres://me:geheim@h/b", "has a password"),
        ("postgres://me:a?geheim@h/b?sslmode=require", "has a password"),
        ("postgres://me@h/b?password=geheim", "has a password"),
        ("host=h dbname=b", "is neither sqlite:FILE nor postgres://HOST/DATABASE"),
    ] {
        let run = dry_run(address).await;
        run.says(2, words);
        assert!(!run.stderr.contains("geheim"), "{run:?}");
    }
    for address in [
        "postgres:///books",
        "postgresql://me@[::1]:5433/b?sslmode=verify-full&sslrootcert=%2Fa%20b%2B.pem",
        "postgres://%2Frun%2Fpostgresql/b?sslmode=prefer",
        "postgres://h?user=a@b&dbname=b&port=1&passfile=p&application_name=n&connect_timeout=3",
        "postgres://h/b?options=-csearch_path%3Ddesk2",
    ] {
        dry_run(address).await.succeeds();
    }
}

#[tokio::test]
async fn a_variable_of_psql_that_isnt_supported_is_an_error_that_names_it() {
    let instead = "PGOPTIONS isn't supported; unset it, and write ?options=… into the address";
    let socket = "postgres://me@%2Fnowhere/b";
    let status = async |address: &str, (name, value): (&str, &str)| {
        let mut command = bare(&["status", "--of", address]);
        ended(command.env(name, value).spawn().unwrap()).await
    };
    for (name, value, words) in [
        ("PGSERVICE", "books", "PGSERVICE isn't supported; unset it"),
        ("PGTARGETSESSIONATTRS", "any", "PGTARGETSESSIONATTRS isn't supported; unset it"),
        ("PGCHANNELBINDING", "require", "PGCHANNELBINDING isn't supported; unset it"),
        ("PGGSSENCMODE", "disable", "PGGSSENCMODE isn't supported; unset it"),
        ("PGSSLCERT", "me.pem", "PGSSLCERT isn't supported; unset it"),
        ("PGHOSTADDR", "127.0.0.1", "PGHOSTADDR isn't supported; unset it"),
        ("PGOPTIONS", "-csearch_path=other", instead),
        ("PGSSLMODE", "prefer", "PGSSLMODE isn't disable, require, verify-ca or verify-full"),
        ("PGCONNECT_TIMEOUT", "soon", "PGCONNECT_TIMEOUT isn't a number of seconds"),
        // A variable has no effect if the address contains the part.
        ("PGHOST", "a,b", "127.0.0.1:1: "),
        ("PGPORT", "a", "127.0.0.1:1: "),
    ] {
        status("postgres://me@127.0.0.1:1/b", (name, value)).await.says(1, words);
    }
    status("postgres:///b", ("PGHOST", "a,b")).await.says(1, "PGHOST names several hosts");
    status("postgres://me@/b", ("PGHOST", "127.0.0.9")).await.says(1, "127.0.0.9:5432: ");
    status("postgres://me@127.0.0.1", ("PGPORT", "2")).await.says(1, "127.0.0.1:2: ");
    status("postgres:///b", ("PGUSER", "me")).await.says(2, "names no host");
    // On a socket, sslmode is ignored, as in psql.
    status(socket, ("PGSSLMODE", "prefer")).await.says(1, "/nowhere:5432: ");
}

#[tokio::test]
#[ignore = "needs a server: cli/tests/with-postgres cargo test … -- --ignored"]
async fn with_tls_a_server_is_known_by_its_certificate_or_not_spoken_to() {
    let authority = variable("TEST_POSTGRES_CA");
    let other = variable("TEST_POSTGRES_OTHER_CA");
    let tool = Tool::with(Sandbox::builder(), "tls").await;
    let (file, foreign) = (("PGSSLROOTCERT", &*authority), ("PGSSLROOTCERT", &*other));
    let platform = ("SSL_CERT_FILE", &*authority);
    let system = ("PGSSLROOTCERT", "system");
    let mode = |mode| ("PGSSLMODE", mode);
    // The address `away` leads to this host, but isn't known to be a loopback address.
    let (here, name, away) = ("127.0.0.1", "localhost", "0.0.0.0");
    let needs = "sslmode=verify-ca needs the CA certificate in sslrootcert";
    let in_address = format!("sslmode=verify-ca&sslrootcert={}", authority.replace('/', "%2F"));

    // The database requires TLS, and the certificate is for the host `here`.
    for (host, query, settings, told) in [
        (here, "", &[platform][..], "no encryption"),
        (here, "", &[file], "no encryption"),
        (here, "sslmode=disable", &[platform], "no encryption"),
        (here, "sslmode=require", &[], "SSL_CERT_FILE"),
        (here, "sslmode=verify-full", &[], "SSL_CERT_FILE"),
        (here, "sslmode=require", &[foreign], "PGSSLROOTCERT"),
        (here, "sslmode=verify-ca", &[foreign], "PGSSLROOTCERT"),
        (here, "sslmode=verify-full", &[foreign], "PGSSLROOTCERT"),
        (name, "sslmode=verify-full", &[file], "not valid for name"),
        (name, "sslmode=require", &[file], "use sslmode=verify-ca with sslrootcert"),
        (name, "sslmode=require", &[platform], "not valid for name"),
        (away, "", &[], "SSL_CERT_FILE"),
        (away, "", &[file], "not valid for name"),
        (away, "sslmode=disable", &[file], "no encryption"),
        (here, "sslmode=verify-ca", &[platform], needs),
        (here, "sslmode=verify-ca", &[system], needs),
        (here, "sslrootcert=nowhere.pem&sslmode=require", &[file], "nowhere.pem: "),
        (here, "sslmode=disable", &[file, mode("require")], "no encryption"),
        (here, "sslmode=require", &[platform], ""),
        (here, "sslmode=verify-full", &[platform], ""),
        (here, "sslmode=verify-full&sslrootcert=system", &[platform], ""),
        (here, "sslmode=require", &[file], ""),
        (name, "sslmode=verify-ca", &[file], ""),
        (away, "sslmode=verify-ca", &[file], ""),
        (name, &in_address, &[foreign], ""),
        (here, "", &[file, mode("verify-full")], ""),
        (name, "sslmode=verify-ca", &[file, mode("disable")], ""),
    ] {
        let asked = tool.sandbox.requests().len();
        let run = sync(&tool, host, &format!("/tls?{query}"), settings).await;

        let case = format!("{host} {query} {settings:?}: {run:?}");
        assert_eq!(run.stderr.lines().count(), 1, "{case}");
        assert!(run.stderr.contains(if told.is_empty() { "800 records" } else { told }), "{case}");
        assert_eq!(run.status, Some(i32::from(!told.is_empty())), "{case}");
        assert_eq!(tool.sandbox.requests().len() > asked, told.is_empty(), "{case}");
    }
}

#[tokio::test]
#[ignore = "needs a server: cli/tests/with-postgres cargo test … -- --ignored"]
async fn a_password_is_read_from_a_file_that_others_cant_read() {
    let tool = Tool::with(Sandbox::builder(), "pgpass").await;
    let mode = |file: &str, mode| {
        fs::set_permissions(tool.path(file), fs::Permissions::from_mode(mode)).unwrap();
    };
    let right = "127.0.0.1:*:password:tester:hush-hush\n";
    let named = tool.path("named.pgpass");
    let named = [("PGPASSFILE", named.to_str().unwrap())];

    for (file, settings) in [(".pgpass", &[][..]), ("named.pgpass", &named)] {
        fs::write(tool.path(file), right).unwrap();
        for open in [0o640, 0o604, 0o620] {
            mode(file, open);
            let refused = sync(&tool, "127.0.0.1", "/password", settings).await;
            assert_eq!(
                (refused.status, refused.stderr.lines().count()),
                (Some(1), 2),
                "{refused:?}"
            );
            let told = format!(
                "{file} has group or world access; permissions should be u=rw (0600) or less"
            );
            assert!(refused.stderr.lines().next().unwrap().contains(&told), "{refused:?}");
            refused.tells("put the password into PGPASSWORD");
        }
        mode(file, 0o600);
        let read = sync(&tool, "127.0.0.1", "/password", settings).await;
        assert_eq!((read.status, read.stderr.lines().count()), (Some(0), 1), "{read:?}");
        fs::remove_file(tool.path(file)).unwrap();
        fs::create_dir(tool.path(file)).unwrap();
        sync(&tool, "127.0.0.1", "/password", settings).await.tells("is not a plain file");
    }
    let given = [("PGPASSWORD", "hush-hush")];
    sync(&tool, "127.0.0.1", "/password", &given).await.succeeds();
    let in_address = format!("/password?passfile={}", tool.path("address.pgpass").display());
    fs::write(tool.path("address.pgpass"), right).unwrap();
    mode("address.pgpass", 0o400);
    sync(&tool, "127.0.0.1", &in_address, &named).await.succeeds();
}

#[tokio::test]
#[ignore = "needs a server: cli/tests/with-postgres cargo test … -- --ignored"]
async fn a_line_of_a_password_file_is_read_as_in_psql_for_sockets_too() {
    let tool = Tool::with(Sandbox::builder(), "pgpass-psql").await;
    let server = variable("TEST_POSTGRES");
    let port = server.rsplit([':', '/']).nth(1).unwrap();
    let directory = variable("TEST_POSTGRES_SOCKETS");
    // In this database, a password may contain bytes that aren't UTF-8.
    let bytes = server.replace("/postgres", "/bytes");
    let bytes = Database { url: bytes };
    let role = r"DROP ROLE IF EXISTS keeper; CREATE ROLE keeper LOGIN PASSWORD E'a:b\\c\xe9'";
    bytes.execute(role);
    let file = tool.path("file.pgpass");
    let (default, away) = ("/var/run/postgresql", "0.0.0.0");

    for (host, line, works) in [
        ("127.0.0.1", &br"127.0.0.1:*:password:keeper:a\:b\\c~"[..], true),
        ("127.0.0.1", br"*:*:pass\word:keeper:a\:b\\c~:more", true),
        ("127.0.0.1", br"*:*:*:keeper:a:b\\c~", false),
        ("127.0.0.1", br"*:*:*:keeper:a\:b\c~", false),
        ("127.0.0.1", br"localhost:*:*:keeper:a\:b\\c~", false),
        (away, br"0.0.0.0:*:*:keeper:a\:b\\c~", true),
        (&directory, br"/:*:*:keeper:a\:b\\c~", false),
        (&directory, br"localhost:*:*:keeper:a\:b\\c~", false),
        (&directory, br"@:*:*:keeper:a\:b\\c~", true),
        (default, br"localhost:*:*:keeper:a\:b\\c~", true),
        (default, br"/var/run/postgresql:*:*:keeper:a\:b\\c~", false),
    ] {
        // Without the rights to do so, the server has no socket in the default directory.
        if host == default && !fs::exists(format!("{host}/.s.PGSQL.{port}")).unwrap() {
            continue;
        }
        // A byte that isn't UTF-8 in an earlier line doesn't matter.
        let mut text = b"# caf\xe9\n".to_vec();
        for byte in line {
            match byte {
                b'~' => text.push(0xe9),
                b'@' => text.extend(directory.as_bytes()),
                byte => text.push(*byte),
            }
        }
        fs::write(&file, text).unwrap();
        fs::set_permissions(&file, fs::Permissions::from_mode(0o600)).unwrap();
        let encoded = host.replace('/', "%2F");
        let address = format!("postgres://keeper@{encoded}:{port}/password?sslmode=disable");
        let mut psql = Command::new("psql");
        psql.args(["--no-password", "--no-psqlrc", "--command", "SELECT 1", &address]);
        let psql = psql.env("PGPASSFILE", &file).output().unwrap();
        let mut tool = bare(&["status", "--of", &address]);
        let run = ended(tool.env("PGPASSFILE", &file).spawn().unwrap()).await;

        let case = format!("{host} {}", String::from_utf8_lossy(line));
        assert_eq!(psql.status.success(), works, "{case}: {psql:?}");
        assert_eq!(run.status, Some(i32::from(!works)), "{case}: {run:?}");
        run.tells(if works { "nothing has been synced" } else { "password" });
    }
    bytes.execute("DROP ROLE keeper");
}
