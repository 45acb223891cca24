//! Institution members: section 4.4 of the specification.

use axum::response::Response;
use serde_json::Value;

use super::{
    fault::Fault,
    parameters::not_found,
    problem::{Rejection, ok},
    request::json_body,
    routes::Call,
    service::keep,
};
use crate::{
    builder::AddInstitutionMembers,
    types::{AddInstitutionMembersRequest, AddInstitutionMembersResponse, InstitutionMember},
    validate,
};

pub(super) fn add(call: &Call<'_>) -> Result<Response, Rejection> {
    let sent: Value = json_body(call.headers, call.body)?;
    // The crate's own types read null as an empty array.
    let mut members = sent["members"].as_array().into_iter().flatten();
    if members.any(|member| member.get("roles").is_some_and(Value::is_null)) {
        return Err(Rejection::parameter("roles", "roles must be an array"));
    }
    let request: AddInstitutionMembersRequest = json_body(call.headers, call.body)?;
    // Written again, members that are missing are an empty array, and empty roles are left out.
    validate::json(&request, AddInstitutionMembers::BODY)
        .and_then(|_| validate::json(&sent, AddInstitutionMembers::BODY))
        .map_err(|error| Rejection::parameter("members", error.to_string()))?;
    if request.institution_id != call.service.institution() {
        return Err(not_found("institution"));
    }

    let mut members = Vec::with_capacity(request.members.len());
    for member in request.members {
        let id = call.service.new_membership();
        let mut added =
            InstitutionMember { identity_id: member.identity_id, roles: member.roles, id };
        keep(&call.service.members, added.clone());
        if call.fault == Some(&Fault::WithoutRoles) {
            added.roles.clear();
        }
        members.push(added);
    }
    ok(&AddInstitutionMembersResponse { institution_id: request.institution_id, members })
}
