//! Tests of everything in a request, exactly as it is sent.

use digital_assets::types::{AddInstitutionMembersRequest, InstitutionMemberToAdd};
use serde_json::Value;

use crate::{
    prelude::*,
    specification::{OPERATIONS, Shown, new_members, scopes},
};

// Section 4 of the specification.
#[tokio::test]
async fn every_operation_sends_every_parameter_and_reads_every_field() -> Result<(), Error> {
    for shown in OPERATIONS {
        let (path, response) = (shown.path, (shown.response)());
        let env = Environment::playing([json(200, response.clone())]);

        let read = (shown.call)(&env.client).await?;

        let request = env.service.request();
        let (target, query) = shown.target.split_once('?').unwrap_or((shown.target, ""));
        let mut query: Vec<_> = query.split('&').filter(|pair| !pair.is_empty()).collect();
        query.sort_unstable();
        assert_eq!(request.path(), format!("{} {target}", shown.method));
        assert_eq!(request.sorted_query(), query, "{path}");
        let [sent, body, response] = [&*request.body, shown.body, &response]
            .map(|text| if text.is_empty() { Value::Null } else { text.parse().expect("JSON") });
        assert_eq!(sent, body, "{path}");
        assert_eq!(read, response, "{path}");
    }
    Ok(())
}

// RFC 3339, section 5.6: a year has four digits.
#[tokio::test]
async fn times_beyond_four_digits_of_a_year_are_sent_as_the_first_and_the_last() -> Result<(), Error>
{
    let env = Environment::playing([json(200, "{}")]);

    let call = env.client.list_deposit_addresses();
    let call = call.created_at_gte(chrono::DateTime::<chrono::Utc>::MIN_UTC);
    call.created_at_lt(chrono::DateTime::<chrono::Utc>::MAX_UTC).send().await?;

    let expected = [
        "created_at.gte=0000-01-01T00%3A00%3A00Z",
        "created_at.lt=9999-12-31T23%3A59%3A59.999999999Z",
    ];
    assert_eq!(env.service.request().sorted_query(), expected);
    Ok(())
}

#[tokio::test]
async fn a_body_is_sent_with_its_type_and_its_length() -> Result<(), Error> {
    let env = Environment::playing([json(200, MEMBERS)]);

    env.client.add_institution_members().body(new_members()).send().await?;

    let request = env.service.request();
    assert_eq!(request.line, "POST /v2/identity/institution-members");
    assert_eq!(request.header("content-type"), Some("application/json"));
    assert_eq!(request.header("content-length"), Some(&*request.body.len().to_string()));
    assert_eq!(request.header("transfer-encoding"), None);
    Ok(())
}

// Section 4.4 of the specification doesn't say whether `roles` is required.
#[tokio::test]
async fn roles_that_are_empty_are_left_out() -> Result<(), Error> {
    let answer = r#"{"institution_id":"b6d8f0a2-4c6e-4180-92b4-d6f8a0c2e409","members":[
        {"identity_id":"4d8b3e72-16f9-4a05-8c3d-2e7f9a1b5c06","roles":["DEFAULT"],
         "id":"e0f2a4b6-c8d0-4e1f-83a5-b7c9d1e3f50a"}]}"#;
    let env = Environment::playing([json(200, answer)]);

    let identity_id = uuid::uuid!("4d8b3e72-16f9-4a05-8c3d-2e7f9a1b5c06");
    let body = AddInstitutionMembersRequest {
        institution_id: uuid::uuid!("b6d8f0a2-4c6e-4180-92b4-d6f8a0c2e409"),
        members: vec![InstitutionMemberToAdd { identity_id, roles: Vec::new() }],
    };
    let added = env.client.add_institution_members().body(body).send().await?;

    let expected = r#"{"institution_id":"b6d8f0a2-4c6e-4180-92b4-d6f8a0c2e409","members":[{"identity_id":"4d8b3e72-16f9-4a05-8c3d-2e7f9a1b5c06"}]}"#;
    assert_eq!(env.service.request().body, expected);
    assert_eq!(added.members[0].roles, ["DEFAULT"]);
    Ok(())
}

// Section 5 of the specification, point 2.
#[tokio::test]
async fn every_operation_bears_its_headers_and_no_others() -> Result<(), Error> {
    const AGENT: &str = "digital-assets/0.1.0";
    for (env, agent) in [
        (Environment::well(|client| client), AGENT),
        (Environment::well(|client| client.user_agent("backoffice/2")), "backoffice/2"),
    ] {
        call_each(&env.client).await?;

        let requests = env.service.requests();
        assert_eq!(requests.len(), OPERATIONS.len());
        let scopes = scopes();
        for (request, shown) in std::iter::zip(requests, OPERATIONS) {
            let line = &request.line;
            let token = 1 + scopes.iter().position(|scope| *scope == shown.scope).expect("a scope");
            let authorization = format!("Bearer word-{token}");
            assert_eq!(request.header("authorization"), Some(&*authorization), "{line}");
            assert_eq!(request.header("accept"), Some("application/json"), "{line}");
            assert_eq!(request.header("user-agent"), Some(agent), "{line}");
            assert_eq!(request.header("api-version"), None, "{line}");
            if line.starts_with("GET") {
                assert_eq!(request.header("content-type"), None, "{line}");
                assert_eq!(request.body, "", "{line}");
            }
        }
    }
    Ok(())
}

// Section 1 of the specification: all paths are appended to {base_url}.
#[tokio::test]
async fn paths_are_appended_to_the_base_url() -> Result<(), Error> {
    for (base, expected) in [
        ("", "GET /v2/rewards/monitor/address"),
        ("/", "GET /v2/rewards/monitor/address"),
        ("/gateway", "GET /gateway/v2/rewards/monitor/address"),
        ("/gateway/", "GET /gateway/v2/rewards/monitor/address"),
        ("/gateway/assets//", "GET /gateway/assets/v2/rewards/monitor/address"),
    ] {
        let env = Environment::playing([json(200, "{}")]);
        let client = Client::builder(format!("{}{base}", env.service.url()));
        let client = client.bearer_token("word").build()?;

        client.list_monitoring_addresses().send().await?;

        assert_eq!(env.service.lines(), [expected], "{base}");
    }
    Ok(())
}

// Sections 4 and 5 of the specification.
#[test]
fn operations_are_those_of_the_specification() {
    let ours: Vec<_> = operation::ALL
        .iter()
        .map(|operation| {
            (operation.method().to_string(), operation.path(), operation.scopes().join(" "))
        })
        .collect();

    for Shown { method, path, scope, .. } in OPERATIONS {
        let shown = ((*method).to_owned(), *path, (*scope).to_owned());
        assert!(ours.contains(&shown), "{shown:?} is not in {ours:#?}");
    }
}
