//! Adds members to an institution (section 4.4 of the service's specification).

use oas_client::sandbox::{
    Call, Fault, Rejection, axum::response::Response, check_body, json_body, not_found, ok,
};
use serde_json::Value;

use super::records::{Records, institution, new_membership};
use crate::{
    builder::AddInstitutionMembers,
    types::{AddInstitutionMembersRequest, AddInstitutionMembersResponse, InstitutionMember},
};

pub(super) fn add(call: &Call<'_, Records>) -> Result<Response, Rejection> {
    let sent: Value = json_body(call.headers, call.body)?;
    // The generated types deserialize `null` as an empty array, so `null` has to be rejected here.
    let mut members = sent["members"].as_array().into_iter().flatten();
    if members.any(|member| member.get("roles").is_some_and(Value::is_null)) {
        return Err(Rejection::parameter("roles", "roles must be an array"));
    }
    let request: AddInstitutionMembersRequest = json_body(call.headers, call.body)?;
    // The body is checked twice: after deserialization, which turns missing `members` into an empty
    // array and leaves out empty `roles`, and as it was sent.
    check_body(&request, AddInstitutionMembers::BODY)
        .and_then(|()| check_body(&sent, AddInstitutionMembers::BODY))
        .map_err(|error| Rejection::parameter("members", error.to_string()))?;
    if request.institution_id != institution(call.data) {
        return Err(not_found("institution"));
    }

    let mut members = Vec::with_capacity(request.members.len());
    for member in request.members {
        let id = new_membership(call.data);
        let mut added =
            InstitutionMember { identity_id: member.identity_id, roles: member.roles, id };
        call.data.members.add(added.clone());
        if call.fault == Some(&Fault::WithoutOptionalFields) {
            added.roles.clear();
        }
        members.push(added);
    }
    ok(&AddInstitutionMembersResponse { institution_id: request.institution_id, members })
}
