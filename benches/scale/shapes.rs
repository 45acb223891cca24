//! Distributions of the records' creation times.

use chrono::DateTime;
use digital_assets::sandbox::{Sandbox, SandboxBuilder, Times};
use virtual_service::BEGIN;

/// Starts a sandbox with executions whose creation times have this distribution.
pub(crate) async fn start(sandbox: SandboxBuilder, shape: &str, executions: u64) -> Sandbox {
    let made = match shape {
        "even" => Some(Times::Uniform),
        "a hundredth" => Some(Times::Skewed),
        "bursts" => Some(Times::Bursts),
        "one instant" => Some(Times::Equal),
        _ => None,
    };
    if let Some(times) = made {
        return sandbox.times(times).executions(executions).start().await.unwrap();
    }
    let template = Sandbox::builder().executions(1).start().await.unwrap();
    let template = template.executions().next().unwrap();
    let sandbox = sandbox.executions(0).start().await.unwrap();
    let (mut execution, mut random) = (template, fastrand::Rng::with_seed(1));
    execution.profile_id = sandbox.profile_id();
    for time in virtual_service::times(shape, executions.try_into().unwrap(), 1) {
        execution.id = uuid::Builder::from_random_bytes(random.u128(..).to_ne_bytes()).into_uuid();
        let nanos = i64::try_from(BEGIN + time).unwrap();
        execution.created_at = DateTime::from_timestamp_nanos(nanos);
        sandbox.insert_execution(execution.clone());
    }
    sandbox
}
