//! Institution members: section 4.4 of the specification.

use std::sync::Arc;

use axum::{
    body::Bytes,
    extract::{RawQuery, State},
    http::HeaderMap,
    response::Response,
};
use serde_json::Value;

use super::{
    data::INSTITUTION,
    listing::ok,
    parameters::{Parameters, not_found},
    problem::Refusal,
    request::json_body,
    service::Service,
};
use crate::types::{
    AddInstitutionMembersRequest, AddInstitutionMembersResponse, InstitutionMember,
};

pub(super) async fn add(
    State(service): State<Arc<Service>>,
    RawQuery(query): RawQuery,
    headers: HeaderMap,
    body: Bytes,
) -> Result<Response, Refusal> {
    Parameters::parse(query.as_deref()).finish()?;
    let sent: Value = json_body(&headers, &body)?;
    // The crate's own types read null as an empty array.
    let mut members = sent["members"].as_array().into_iter().flatten();
    if members.any(|member| member.get("roles").is_some_and(Value::is_null)) {
        return Err(Refusal::parameter("roles", "roles must be an array"));
    }
    let request: AddInstitutionMembersRequest = json_body(&headers, &body)?;
    if request.members.is_empty() {
        return Err(Refusal::parameter("members", "members must not be empty"));
    }
    if request.institution_id != INSTITUTION {
        return Err(not_found("institution"));
    }

    let mut members = Vec::with_capacity(request.members.len());
    for member in request.members {
        let id = service.new_membership();
        let added = InstitutionMember { identity_id: member.identity_id, roles: member.roles, id };
        members.push(added);
    }
    service.remember(&members);
    ok(&AddInstitutionMembersResponse { institution_id: request.institution_id, members })
}
