//! A program that adds members. No member may be added twice, and if a member may have been added,
//! the error must say so.

use digital_assets::{
    Error, operation,
    types::{AddInstitutionMembersRequest, InstitutionMemberToAdd},
};
use tokio::time::Instant;
use uuid::Uuid;

use super::{
    World, faults,
    promises::{Kept, applied, in_time},
};

pub(super) async fn members(world: &mut World) -> Kept {
    for number in 0..20 {
        if let Some(fault) = faults::of_post(&mut world.random) {
            world.wire.log.entries().sent.sent(&fault);
            world.sandbox.fault(operation::ADD_INSTITUTION_MEMBERS, fault);
        }
        let identity_id = Uuid::from_u128(number + 1);
        let members = vec![InstitutionMemberToAdd { identity_id, roles: vec!["TRUSTEE".into()] }];
        let institution_id = world.sandbox.institution_id();
        let body = AddInstitutionMembersRequest { institution_id, members };
        let begun = Instant::now();

        let result = world.client.add_institution_members().body(body).send().await;

        in_time(begun.elapsed(), world.call_timeout)?;
        let added = world.sandbox.members();
        let added = added.iter().filter(|member| member.identity_id == identity_id).count();
        let doubt = |error: &Error| (error.to_string(), error.may_have_been_applied());
        applied(added, result.as_ref().map(drop).map_err(doubt))?;
        if let Err(error) = result {
            world.pass(&error).await?;
        }
    }
    Ok(())
}
