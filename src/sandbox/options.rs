//! The options of a sandbox.

use oas_client::sandbox::Settings;

use super::SandboxBuilder;

/// The options of a sandbox: the number of records of each kind. They are set with the methods of a
/// [`SandboxBuilder`].
#[derive(Clone, Debug)]
pub struct Options {
    pub(super) settings: Settings,
    pub(super) executions: u64,
    pub(super) profiles: u64,
    pub(super) monitoring_addresses: u64,
    pub(super) deposit_addresses: u64,
}

impl From<Settings> for Options {
    fn from(settings: Settings) -> Self {
        Self {
            settings,
            executions: 5_000,
            profiles: 1,
            monitoring_addresses: 400,
            deposit_addresses: 800,
        }
    }
}

impl AsMut<Settings> for Options {
    fn as_mut(&mut self) -> &mut Settings {
        &mut self.settings
    }
}

impl Options {
    /// Sets the number of quote executions. The default is 5,000.
    ///
    /// Records are generated when they are requested, so a million records take no more memory than
    /// ten. With more records, the first page of a listing takes longer, because the sandbox counts
    /// all matching records before it returns this page. The maximum for every kind of record is
    /// 2^40.
    pub fn executions(&self, count: u64) -> SandboxBuilder {
        SandboxBuilder::with_options(Self { executions: count, ..self.clone() })
    }

    /// Sets the number of profiles that the quote executions are distributed over. The default and
    /// the minimum are 1.
    pub fn profiles(&self, count: u64) -> SandboxBuilder {
        SandboxBuilder::with_options(Self { profiles: count.max(1), ..self.clone() })
    }

    /// Sets the number of monitoring addresses. The default is 400.
    pub fn monitoring_addresses(&self, count: u64) -> SandboxBuilder {
        SandboxBuilder::with_options(Self { monitoring_addresses: count, ..self.clone() })
    }

    /// Sets the number of deposit addresses. The default is 800.
    pub fn deposit_addresses(&self, count: u64) -> SandboxBuilder {
        SandboxBuilder::with_options(Self { deposit_addresses: count, ..self.clone() })
    }
}
