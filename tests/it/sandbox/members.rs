use digital_assets::{operation, sandbox::Fault};
use serde_json::{Value, json};

use super::caller::{Caller, json, new_member};

const ALICE: &str = "4d8b3e72-16f9-4a05-8c3d-2e7f9a1b5c06";
const BOB: &str = "8e1f3a5c-7b9d-4e2f-a4c6-d8e0f2a4b607";

// Section 4.4 of the specification, rule 1.
#[tokio::test]
async fn each_member_is_repeated_with_an_id_of_its_own() {
    let caller = Caller::start().await;
    let institution = caller.sandbox.institution_id();
    let members = json!([
        { "identity_id": ALICE, "roles": ["TRUSTEE"] },
        { "identity_id": BOB, "roles": ["GRANTOR", "anything"] },
    ]);

    let answer = caller.add(&json!({ "institution_id": institution, "members": members })).await;

    assert_eq!(answer.status(), 200);
    let mut body = json(answer).await;
    assert_eq!(serde_json::to_value(caller.sandbox.members()).unwrap(), body["members"]);
    let mut id = |at: usize| body["members"][at].as_object_mut().unwrap().remove("id").unwrap();
    assert_ne!(id(0), id(1));
    assert_eq!(body, json!({ "institution_id": institution, "members": members }));
}

// Section 4.4 of the specification: the required fields, and rule 2. The other rejections are the
// sandbox's own choice.
#[tokio::test]
async fn a_request_that_is_not_one_adds_nobody() {
    let caller = Caller::start().await;
    let institution = caller.sandbox.institution_id();
    let member = json!([{ "identity_id": ALICE, "roles": ["TRUSTEE"] }]);
    let with = |members: Value| json!({ "institution_id": institution, "members": members });
    for (body, status) in [
        (with(json!([])), 400),
        (json!({ "institution_id": institution }), 400),
        (json!({ "members": member }), 400),
        (json!({ "institution_id": "mine", "members": member }), 400),
        (with(json!([{ "roles": ["TRUSTEE"] }])), 400),
        (with(json!([{ "identity_id": "x" }])), 400),
        (with(json!([{ "identity_id": ALICE, "roles": null }])), 400),
        (with(json!([{ "identity_id": ALICE, "roles": [] }])), 400),
        (json!({ "institution_id": ALICE, "members": member }), 404),
        (json!("nonsense"), 400),
        (json!([institution, member]), 400),
    ] {
        let answer = caller.add(&body).await;
        assert_eq!(answer.status(), status, "{body}");
        assert_eq!(json(answer).await["status"], status, "{body}");
    }
    assert!(caller.sandbox.members().is_empty());
}

// Section 4.4 of the specification doesn't say whether roles are required, or what happens if a
// member is added twice. Both are the sandbox's own choice.
#[tokio::test]
async fn roles_may_be_left_out_and_an_identity_added_twice() {
    let caller = Caller::start().await;
    let institution = caller.sandbox.institution_id();
    let body = json!({ "institution_id": institution, "members": [{ "identity_id": ALICE }] });

    let first: Value = json(caller.add(&body).await).await;
    let second = json(caller.add(&body).await).await;

    assert_ne!(first["members"][0]["id"], second["members"][0]["id"]);
    assert_eq!(first["members"][0].get("roles"), None);
    assert_eq!(caller.sandbox.members().len(), 2);
}

// Section 4.4 of the specification doesn't say whether the response always contains the roles.
#[tokio::test]
async fn the_answer_can_leave_out_the_roles_that_were_added() {
    let caller = Caller::start().await;
    caller.sandbox.fault(operation::ADD_INSTITUTION_MEMBERS, Fault::WithoutOptionalFields);
    let body = new_member(&caller.sandbox);
    let client = caller.sandbox.client().unwrap();

    for roles in [&[][..], &["TRUSTEE"]] {
        let added = client.add_institution_members().body(body.clone()).send().await.unwrap();
        assert_eq!(added.members[0].roles, roles);
    }
    assert!(caller.sandbox.members().iter().all(|member| member.roles == ["TRUSTEE"]));
}
