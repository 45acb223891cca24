//! What an error says of the call, and of what became of it.

use std::iter;

use digital_assets::{
    Error, ErrorKind, Operation,
    types::{AddInstitutionMembersRequest, InstitutionMemberToAdd},
};
use serde_json::json as value;

use super::code;
use crate::{
    Environment, add, grant, list,
    server::{Server, json, reset, status},
    specification::MEMBERS,
};

#[tokio::test]
async fn an_error_says_whether_a_post_may_have_been_applied() {
    use ErrorKind::{Decode, ResponseTooLarge, Status, Transport};

    for (answers, kind, applied, retryable) in [
        (vec![status(400)], Status, false, false),
        (vec![status(401), status(401)], Status, false, false),
        (vec![status(403)], Status, false, false),
        (vec![status(404)], Status, false, false),
        (vec![status(409)], Status, false, false),
        (vec![status(422)], Status, false, false),
        (vec![status(429); 3], Status, false, true),
        (vec![status(408)], Status, true, false),
        (vec![status(500)], Status, true, false),
        (vec![status(503)], Status, true, false),
        (vec![reset()], Transport, true, false),
        (vec![json(200, MEMBERS).truncated()], Transport, true, false),
        (vec![json(200, "{}")], Decode, true, false),
        (vec![json(200, "[]")], Decode, true, false),
        (vec![status(200).body("<html>")], Decode, true, false),
        (vec![json(200, " ".repeat(2000))], ResponseTooLarge, true, false),
        // The last attempt decides.
        (vec![status(429), reset()], Transport, true, false),
        (vec![status(401), status(503)], Status, true, false),
        (vec![status(429), status(403)], Status, false, false),
    ] {
        let count = answers.len();
        let env = Environment::with(answers, |client| client.max_response_bytes(1000));

        let error = add(&env.client).await.expect_err("a failure");

        assert_eq!(error.kind(), kind, "{error}");
        assert_eq!(error.may_have_been_applied(), applied, "{error}");
        assert_eq!(error.is_retryable(), retryable, "{error}");
        assert_eq!(error.operation(), Some(Operation::AddInstitutionMembers));
        assert_eq!(env.service.count(), count, "{error}");
    }
}

#[tokio::test]
async fn without_a_token_a_post_was_not_applied() {
    let unauthorized = |_: &_| json(401, r#"{"error":"invalid_client"}"#);
    let env = Environment::of(Server::playing([]), Server::answering(unauthorized), |c| c);
    let error = add(&env.client).await.expect_err("no token");
    assert_eq!((error.kind(), error.may_have_been_applied()), (ErrorKind::Token, false));

    let mut grants = vec![grant("word", "3599")].into_iter();
    let once = move |_: &_| grants.next().unwrap_or_else(|| json(400, r#"{"error":"no"}"#));
    let env = Environment::of(Server::playing([status(401)]), Server::answering(once), |c| c);
    let error = add(&env.client).await.expect_err("no second token");
    assert_eq!((error.kind(), error.may_have_been_applied()), (ErrorKind::Token, false));
}

#[tokio::test]
async fn a_failure_keeps_what_the_service_said() {
    let answer = status(409).header("x-request-id", "r-1").body("no");
    let env = Environment::playing([answer]);

    let error = add(&env.client).await.expect_err("409");

    assert_eq!((error.kind(), code(&error)), (ErrorKind::Status, Some(409)));
    assert_eq!(
        error.headers().map(|headers| headers["x-request-id"].as_bytes()),
        Some(&b"r-1"[..])
    );
    assert_eq!(error.body(), Some(&b"no"[..]));
    assert_eq!(error.operation(), Some(Operation::AddInstitutionMembers));
    assert!(error.to_string().starts_with("addInstitutionMembers: "), "{error}");
    assert!(error.to_string().contains("409 Conflict"), "{error}");
}

#[tokio::test]
async fn a_broken_connection_keeps_its_cause() {
    let env = Environment::always(reset());

    let error = list(&env.client).await.expect_err("a reset");

    assert_eq!((error.kind(), error.status()), (ErrorKind::Transport, None));
    let causes = iter::successors(std::error::Error::source(&error), |e| e.source());
    assert!(causes.filter(|cause| cause.is::<std::io::Error>()).count() > 0, "{error:?}");
}

#[test]
fn errors_are_one_pointer_wide_and_go_anywhere() {
    fn goes_anywhere<T: std::error::Error + Send + Sync + 'static>() {}

    goes_anywhere::<Error>();
    assert_eq!(size_of::<Error>(), size_of::<usize>());
    assert_eq!(size_of::<Option<Error>>(), size_of::<usize>());
}

// Section 4.4, rule 1: each returned member repeats its `identity_id` and `roles` from the request
// and adds a membership `id`.
#[tokio::test]
async fn an_answer_that_does_not_repeat_the_members_is_an_error() {
    let trustee = value!({
        "identity_id": "4d8b3e72-16f9-4a05-8c3d-2e7f9a1b5c06", "roles": ["TRUSTEE"],
        "id": "e0f2a4b6-c8d0-4e1f-83a5-b7c9d1e3f50a",
    });
    let grantor = value!({
        "identity_id": "8e1f3a5c-7b9d-4e2f-a4c6-d8e0f2a4b607", "roles": ["GRANTOR"],
        "id": "f1a3b5c7-d9e1-4f20-94b6-c8d0e2f4a60b",
    });
    let altered = |field: &str, other| {
        let mut member = grantor.clone();
        member[field] = other;
        member
    };
    let other_id = value!("00000000-0000-0000-0000-000000000001");
    for (case, members) in [
        ("no members", value!(null)),
        ("an empty array", value!([])),
        ("one is missing", value!([trustee])),
        ("one is there twice", value!([trustee, trustee])),
        ("one too many", value!([trustee, grantor, grantor])),
        ("another identity", value!([trustee, altered("identity_id", other_id)])),
        ("another role", value!([trustee, altered("roles", value!(["TRUSTEE"]))])),
        ("one more role", value!([trustee, altered("roles", value!(["GRANTOR", "TRUSTEE"]))])),
        ("no role", value!([trustee, altered("roles", value!([]))])),
        ("roles are null", value!([trustee, altered("roles", value!(null))])),
        ("a role in another case", value!([trustee, altered("roles", value!(["grantor"]))])),
        ("the id is null", value!([trustee, altered("id", value!(null))])),
        ("the id is empty", value!([trustee, altered("id", value!(""))])),
        (
            "the id is missing",
            value!([trustee, {
                "identity_id": "8e1f3a5c-7b9d-4e2f-a4c6-d8e0f2a4b607", "roles": ["GRANTOR"],
            }]),
        ),
    ] {
        let institution_id = "b6d8f0a2-4c6e-4180-92b4-d6f8a0c2e409";
        let body = value!({ "institution_id": institution_id, "members": members }).to_string();
        let env = Environment::playing([json(200, body.clone())]);

        let error = add(&env.client).await.expect_err(case);

        assert_eq!((error.kind(), code(&error)), (ErrorKind::Decode, Some(200)), "{case}");
        assert!(error.may_have_been_applied(), "{case}");
        assert_eq!(error.body(), Some(body.as_bytes()), "{case}");
        assert!(error.to_string().contains("members"), "{case}: {error}");
        assert!(!error.to_string().contains("TRUSTEE"), "{case}: {error}");
        assert_eq!(env.service.count(), 1, "{case}");
    }
}

// No order of the members is shown, and an identifier is the same in either case.
#[tokio::test]
async fn members_are_repeated_in_any_order_and_spelling() -> Result<(), Error> {
    let answer = r#"{"institution_id":"b6d8f0a2-4c6e-4180-92b4-d6f8a0c2e409","members":[
        {"id":"f1a3b5c7-d9e1-4f20-94b6-c8d0e2f4a60b","roles":["GRANTOR"],
         "identity_id":"8E1F3A5C-7B9D-4E2F-A4C6-D8E0F2A4B607","status":"NEW"},
        {"id":"e0f2a4b6-c8d0-4e1f-83a5-b7c9d1e3f50a","roles":["TRUSTEE"],
         "identity_id":"4d8b3e72-16f9-4a05-8c3d-2e7f9a1b5c06"}]}"#;
    let env = Environment::playing([json(200, answer)]);

    add(&env.client).await
}

// What the request left to the service may come back as anything, so what it stated comes first.
#[tokio::test]
async fn a_member_that_left_its_roles_open_takes_none_that_another_stated() -> Result<(), Error> {
    let id = "8e1f3a5c-7b9d-4e2f-a4c6-d8e0f2a4b607";
    let member = |roles: &str| {
        format!(r#"{{"id":"{}","identity_id":"{id}","roles":{roles}}}"#, uuid::Uuid::nil())
    };
    let (stated, open) = (member(r#"["GRANTOR"]"#), member("[]"));
    let answer = format!(r#"{{"institution_id":"{id}","members":[{stated},{open}]}}"#);
    let env = Environment::playing([json(200, answer)]);
    let identity_id = id.parse().expect("an identifier");
    let with = |roles: &[&str]| InstitutionMemberToAdd {
        identity_id,
        roles: roles.iter().map(|role| (*role).to_owned()).collect(),
    };
    let members = vec![with(&[]), with(&["GRANTOR"])];

    let body = AddInstitutionMembersRequest { institution_id: identity_id, members };
    env.client.add_institution_members().body(body).send().await.map(drop)
}
