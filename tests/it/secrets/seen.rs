//! Makes calls with marked words in everything confidential, and searches the logs for these words.

use std::fmt::{Debug, Write as _};

use digital_assets::{
    AuthStyle,
    types::{AddInstitutionMembersRequest, CryptoNetwork, InstitutionMemberToAdd},
};
use futures_util::future::LocalBoxFuture;

use crate::{
    log::{self, Recorded},
    prelude::*,
};

/// A part of everything confidential. Like real values, it contains a digit.
pub(super) const MARK: &str = "marked7";
/// An identifier that serves as a mark.
pub(super) const MARKED_ID: &str = "feedface-0000-4000-8000-0000feedface";

pub(super) const SECRET: &str = "marked7secret";
pub(super) const TOKEN: &str = "marked7token";

/// Everything that was logged and printed.
#[derive(Default)]
pub(super) struct Seen {
    printed: String,
    pub(super) recorded: Recorded,
}

impl Seen {
    pub(super) fn print(&mut self, what: &impl Debug) {
        writeln!(self.printed, "{what:?} {what:#?}").unwrap();
    }

    /// Records the logs while the calls run, and returns the calls' errors.
    pub(super) async fn errors(&mut self, calls: LocalBoxFuture<'_, Vec<Error>>) -> Vec<Error> {
        let (recorded, errors) = log::of(calls).await;
        self.recorded = recorded;
        for error in &errors {
            self.error(error);
        }
        errors
    }

    pub(super) fn error(&mut self, error: &Error) {
        self.printed += &printed(error);
    }

    #[track_caller]
    pub(super) fn assert_clean(&self, case: &str) {
        let recorded = format!("{:#?}", self.recorded);
        for text in [&self.printed, &recorded] {
            // This is the base64 form of "marked7", as in an HTTP Basic header.
            for word in [MARK, "feedface", "bWFya2VkN2"] {
                let line = text.lines().find(|line| line.contains(word));
                assert_eq!(line, None, "{case}");
            }
        }
    }
}

pub(super) fn marked_members() -> AddInstitutionMembersRequest {
    let member = InstitutionMemberToAdd {
        identity_id: MARKED_ID.parse().expect("an identifier"),
        roles: vec![MARK.to_owned()],
    };
    AddInstitutionMembersRequest { institution_id: member.identity_id, members: vec![member] }
}

/// Calls every operation in every way, with marked parameters. Returns the number of failed calls.
pub(super) async fn every_call(client: &Client, seen: &mut Seen) -> usize {
    let id: uuid::Uuid = MARKED_ID.parse().expect("an identifier");
    let executions = client.list_quote_executions().profile_id(MARKED_ID).page_cursor(MARK);
    let monitored = client.list_monitoring_addresses().address(MARK);
    let networked = monitored.clone().crypto_network(CryptoNetwork::from(MARK));
    let deposits = client.list_deposit_addresses().ids(vec![id]).ref_ids(vec![MARK.to_owned(); 2]);
    let members = client.add_institution_members().body(marked_members());
    seen.print(client);
    seen.print(&(&executions, &networked, &deposits, &members));

    let (mut pages, mut items) = (executions.clone().pages(), deposits.clone().items());
    let mut held = Seen::default();
    let calls = async {
        let mut failures = Vec::new();
        failures.extend(within_bounds(executions.send()).await.err());
        failures.extend(within_bounds(monitored.send()).await.err());
        failures.extend(within_bounds(deposits.send()).await.err());
        failures.extend(within_bounds(members.send()).await.err());
        for _ in 0..3 {
            failures.extend(within_bounds(pages.next()).await.and_then(Result::err));
            failures.extend(within_bounds(items.next()).await.and_then(Result::err));
            held.print(&(&pages, &items, items.checkpoint()));
        }
        failures
    };
    let failures = seen.errors(Box::pin(calls)).await;
    seen.printed += &held.printed;
    failures.len()
}

/// Returns an environment for two servers, whose client has marked credentials.
pub(super) fn environment(service: Server, auth: Server, style: AuthStyle) -> Environment {
    let token_url = format!("{}/{MARK}?{MARK}={MARK}", auth.url());
    let credentials = ClientCredentials::new(token_url, "marked7client", SECRET).auth_style(style);
    Environment::of(service, auth, |client| {
        client.credentials(credentials).max_response_bytes(10_000)
    })
}

pub(super) async fn assert_clean(case: &str, service: Answer) {
    let env = environment(Server::always(service), granting(), AuthStyle::Body);
    assert_shows_nothing(case, &env.client).await;
}

pub(super) async fn assert_shows_nothing(case: &str, client: &Client) {
    let mut seen = Seen::default();

    let failures = every_call(client, &mut seen).await;

    assert!(failures > 0, "{case}");
    assert!(!seen.recorded.spans("call").is_empty(), "{case}");
    seen.assert_clean(case);
}

pub(super) fn marked(answer: Answer) -> Answer {
    answer.header("x-marked7", MARK).header("set-cookie", format!("session={MARK}"))
}

/// Returns a response as in RFC 7807, with marks in every part.
pub(super) fn problem(code: u16) -> Answer {
    let body = format!(
        r#"{{"type":"https://{MARK}","title":"No {MARKED_ID} at {MARK}","status":{code},
            "detail":"{MARK}","meta":{{"{MARK}":"{MARK}"}}}}"#
    );
    marked(json(code, body))
}

pub(super) fn granting() -> Server {
    Server::always(grant(TOKEN, "3599"))
}
