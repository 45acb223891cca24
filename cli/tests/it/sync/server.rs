//! Connections to a Postgres server: TLS and passwords work as in libpq.

use std::{env, fs, os::unix::fs::PermissionsExt};

use digital_assets::sandbox::Sandbox;

use crate::tool::{Ended, Tool, ended};

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
#[ignore = "needs a server: cli/tests/with-postgres cargo test … -- --ignored"]
async fn with_tls_a_server_is_known_by_its_certificate_or_not_spoken_to() {
    let authority = variable("TEST_POSTGRES_CA");
    let other = variable("TEST_POSTGRES_OTHER_CA");
    let tool = Tool::with(Sandbox::builder(), "tls").await;
    let (file, foreign) = (("PGSSLROOTCERT", &*authority), ("PGSSLROOTCERT", &*other));
    let platform = ("SSL_CERT_FILE", &*authority);
    let system = ("PGSSLROOTCERT", "system");
    let mode = |mode| ("PGSSLMODE", mode);
    let (here, name) = ("127.0.0.1", "localhost");
    let needs = "needs the CA certificate in sslrootcert";
    let in_address = format!("sslmode=verify-ca&sslrootcert={}", authority.replace('/', "%2F"));

    // The database requires TLS, and the certificate is for the host `here`.
    for (host, query, settings, told) in [
        (here, "", &[platform][..], "no encryption"),
        (here, "sslmode=prefer", &[platform], "no encryption"),
        (here, "sslmode=disable", &[platform], "no encryption"),
        (here, "sslmode=require", &[], "SSL_CERT_FILE"),
        (here, "sslmode=verify-full", &[], "SSL_CERT_FILE"),
        (here, "sslmode=require", &[foreign], "PGSSLROOTCERT"),
        (here, "sslmode=verify-ca", &[foreign], "PGSSLROOTCERT"),
        (here, "sslmode=verify-full", &[foreign], "PGSSLROOTCERT"),
        (name, "sslmode=verify-full", &[file], "not valid for name"),
        (name, "sslmode=require", &[platform], "not valid for name"),
        (here, "sslmode=verify-ca", &[platform], needs),
        (here, "sslmode=verify-ca", &[system], needs),
        (here, "sslrootcert=nowhere.pem&sslmode=require", &[file], "nowhere.pem: "),
        (here, "sslmode=disable", &[file, mode("require")], "no encryption"),
        (here, "", &[mode("allow")], "PGSSLMODE tries without TLS first; use prefer"),
        (here, "", &[mode("on")], "PGSSLMODE isn't one of disable, prefer, require, verify-ca"),
        (here, "sslmode=require", &[platform], ""),
        (here, "sslmode=verify-full", &[platform], ""),
        (here, "sslrootcert=system", &[platform], ""),
        (name, "sslmode=require", &[file], ""),
        (name, "sslmode=verify-ca", &[file], ""),
        (name, &in_address, &[foreign], ""),
        (here, "sslmode=verify-full", &[file], ""),
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
    fs::create_dir(tool.path(".postgresql")).unwrap();
    fs::copy(&authority, tool.path(".postgresql/root.crt")).unwrap();
    sync(&tool, name, "/tls?sslmode=verify-ca", &[]).await.succeeds();
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
