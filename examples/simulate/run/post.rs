//! A program that adds members: never twice, and it knows when it can't know.

use std::time::Duration;

use digital_assets::{
    Operation,
    sandbox::Fault,
    types::{AddInstitutionMembersRequest, InstitutionMemberToAdd},
};
use tokio::time::{Instant, sleep};
use uuid::Uuid;

use super::{CALL_TIMEOUT, World};

pub(super) async fn members(world: &mut World) -> Result<(), String> {
    for number in 0..20 {
        let fault = match world.random.u8(..8) {
            0 => Some(Fault::Reset),
            1 => Some(Fault::ResetAfterApplying),
            2 => Some(Fault::Truncated),
            3 => Some(Fault::Latency(Duration::from_secs(100))),
            4 => Some(Fault::Status(500)),
            5 => Some(Fault::Silence),
            _ => None,
        };
        if let Some(fault) = fault {
            world.sandbox.fault(Operation::AddInstitutionMembers, fault);
        }
        let identity_id = Uuid::from_u128(number + 1);
        let members = vec![InstitutionMemberToAdd { identity_id, roles: vec!["TRUSTEE".into()] }];
        let institution_id = world.sandbox.institution_id();
        let body = AddInstitutionMembersRequest { institution_id, members };
        let begun = Instant::now();

        let result = world.client.add_institution_members().body(body).send().await;

        let taken = begun.elapsed();
        if taken > CALL_TIMEOUT + Duration::from_millis(1) {
            return Err(format!("a call took {taken:?}"));
        }
        let added = world.sandbox.members();
        let added = added.iter().filter(|member| member.identity_id == identity_id).count();
        match result {
            Ok(_) if added == 1 => {}
            Ok(_) => return Err(format!("a member was added {added} times")),
            Err(error) => {
                world.wire.note(&error.to_string());
                world.check(&error)?;
                if added > usize::from(error.may_have_been_applied()) {
                    return Err(format!("applied {added} times: {error:?}"));
                }
                sleep(error.retry_after().unwrap_or(Duration::from_secs(1))).await;
            }
        }
    }
    Ok(())
}
