//! Section 4.4, rule 1: what an answer has to repeat of its request.

use std::time::{Duration, Instant};

use digital_assets::{
    Error, ErrorKind,
    types::{AddInstitutionMembersRequest, InstitutionMemberToAdd},
};
use reqwest::StatusCode;
use serde_json::json as value;
use uuid::{Uuid, uuid};

use crate::{
    Environment, add,
    server::json,
    specification::{MEMBERS, with},
};

const INSTITUTION: Uuid = uuid!("b6d8f0a2-4c6e-4180-92b4-d6f8a0c2e409");

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
        let body = value!({ "institution_id": INSTITUTION, "members": members }).to_string();
        let env = Environment::playing([json(200, body.clone())]);

        let error = add(&env.client).await.expect_err(case);

        assert_eq!(
            (error.kind(), error.status()),
            (ErrorKind::Decode, Some(StatusCode::OK)),
            "{case}"
        );
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

// An unknown field may hold what serde_json itself rejects.
#[tokio::test]
async fn any_field_beside_the_members_is_ignored() -> Result<(), Error> {
    let with = |value: &str| {
        let answer = MEMBERS.strip_suffix('}').expect("an object");
        Environment::playing([json(200, format!(r#"{answer},"trace":{value}}}"#))])
    };
    for value in ["1e999", r#""\ud800""#, "[[]]"] {
        add(&with(value).client).await?;
    }

    let deep = with(&("[".repeat(200) + &"]".repeat(200)));
    let error = add(&deep.client).await.expect_err("not to be compared");
    assert_eq!(error.kind(), ErrorKind::Decode);
    assert!(error.may_have_been_applied());
    assert!(error.to_string().contains("nested too deeply"), "{error}");
    Ok(())
}

// What the request left to the service may come back as anything, so what it stated comes first.
#[tokio::test]
async fn a_member_that_left_its_roles_open_takes_none_that_another_stated() -> Result<(), Error> {
    let id = "8e1f3a5c-7b9d-4e2f-a4c6-d8e0f2a4b607";
    let member =
        |roles: &str| format!(r#"{{"id":"{}","identity_id":"{id}","roles":{roles}}}"#, Uuid::nil());
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

#[tokio::test]
async fn members_of_another_institution_are_an_error() -> Result<(), Error> {
    let upper = INSTITUTION.to_string().to_uppercase();
    let answer = json(200, with(MEMBERS, "institution_id", &format!("{upper:?}")));
    add(&Environment::playing([answer]).client).await?;

    let other = r#""00000000-0000-0000-0000-000000000001""#;
    let env = Environment::playing([json(200, with(MEMBERS, "institution_id", other))]);

    let error = add(&env.client).await.expect_err("another institution");

    assert_eq!((error.kind(), error.status()), (ErrorKind::Decode, Some(StatusCode::OK)));
    assert!(error.may_have_been_applied() && !error.is_retryable());
    let sentence = "`institution_id` in the answer is not the one in the request";
    assert!(error.to_string().contains(sentence), "{error}");
    assert!(!error.to_string().contains("0000"), "{error}");
    Ok(())
}

#[tokio::test]
async fn a_member_more_or_less_is_said_as_what_it_is() {
    let member = |id: u128| {
        value!({
            "identity_id": "4d8b3e72-16f9-4a05-8c3d-2e7f9a1b5c06", "roles": ["TRUSTEE"],
            "id": Uuid::from_u128(id),
        })
    };
    for (count, sentence) in [
        (0, "`members` has length 0 in the answer and 2 in the request"),
        (1, "`members` has length 1 in the answer and 2 in the request"),
        (3, "`members` has length 3 in the answer and 2 in the request"),
        (2, "`members` in the answer are not the ones in the request"),
    ] {
        let members: Vec<_> = (0..count).map(member).collect();
        let body = value!({ "institution_id": INSTITUTION, "members": members });
        let env = Environment::playing([json(200, body.to_string())]);

        let error = add(&env.client).await.expect_err(sentence);

        assert!(error.to_string().contains(sentence), "{error}");
    }
}

#[tokio::test]
async fn twenty_thousand_members_in_any_order_are_compared_at_once() -> Result<(), Error> {
    let count = 20_000;
    let roles = |id: u128| match id % 3 {
        0 => vec![],
        1 => vec!["TRUSTEE".to_owned()],
        _ => vec!["GRANTOR".to_owned(), "TRUSTEE".to_owned()],
    };
    let sent = |id| InstitutionMemberToAdd { identity_id: Uuid::from_u128(id), roles: roles(id) };
    let body = AddInstitutionMembersRequest {
        institution_id: INSTITUTION,
        members: (0..count).map(sent).collect(),
    };
    let returned = |id| {
        let roles: Vec<String> = roles(id).into_iter().rev().collect();
        value!({ "id": Uuid::nil(), "identity_id": Uuid::from_u128(id), "roles": roles })
    };
    let members: Vec<_> = (0..count).rev().map(returned).collect();
    let answer = value!({ "institution_id": INSTITUTION, "members": members }).to_string();
    let env = Environment::with([json(200, answer)], |client| {
        client.attempt_timeout(Duration::MAX).call_timeout(Duration::MAX)
    });
    let begun = Instant::now();

    let answer = env.client.add_institution_members().body(body).send().await?;

    assert_eq!(answer.members.len(), 20_000);
    // Without optimization, beside other tests: looking for each one by itself takes minutes.
    assert!(begun.elapsed() < Duration::from_secs(60), "{:?}", begun.elapsed());
    Ok(())
}
