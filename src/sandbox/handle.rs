//! The sandbox methods for the records of this service.

use oas_client::codegen::sandbox::lock;
use uuid::Uuid;

use super::{
    Fault, Request, SandboxService, Times,
    records::{Counts, IDENTITY, PROFILE, Records, institution, profiles},
};
use crate::{
    Client,
    types::{DepositAddress, InstitutionMember, MonitoringAddress, QuoteExecution},
};

oas_client::codegen::sandbox::sandbox!(Records, Counts, Client);

impl SandboxBuilder {
    /// Sets the number of quote executions. The default is 5,000.
    ///
    /// Records are generated when they are requested, so a million records take no more memory than
    /// ten. With more records, the first page of a listing takes longer, because the sandbox counts
    /// all matching records before it returns this page. The maximum for every kind of record is
    /// 2^40.
    pub fn executions(mut self, count: u64) -> Self {
        self.counts.executions = count;
        self
    }

    /// Sets the number of profiles that the quote executions are distributed over. The default and
    /// the minimum are 1.
    pub fn profiles(mut self, count: u64) -> Self {
        self.counts.profiles = count.max(1);
        self
    }

    /// Sets the number of monitoring addresses. The default is 400.
    pub fn monitoring_addresses(mut self, count: u64) -> Self {
        self.counts.monitoring_addresses = count;
        self
    }

    /// Sets the number of deposit addresses. The default is 800.
    pub fn deposit_addresses(mut self, count: u64) -> Self {
        self.counts.deposit_addresses = count;
        self
    }
}

impl Sandbox {
    /// The id of the profile that owns the quote executions. If there are several profiles, this is
    /// the first id in [`profile_ids`](Self::profile_ids).
    #[must_use]
    pub fn profile_id(&self) -> Uuid {
        self.0.service.id(PROFILE, 0)
    }

    /// The ids of the profiles that own the quote executions.
    #[must_use]
    pub fn profile_ids(&self) -> Vec<Uuid> {
        profiles(&self.0.service)
    }

    /// The id of the only institution that members can be added to.
    #[must_use]
    pub fn institution_id(&self) -> Uuid {
        institution(&self.0.service)
    }

    /// The id of one of the identities that deposit addresses belong to. Any identity, even an
    /// unknown one, can be added as a member.
    #[must_use]
    pub fn identity_id(&self) -> Uuid {
        self.0.service.id(IDENTITY, 0)
    }

    /// Generates `count` more quote executions, newer than all executions generated so far.
    pub fn add_executions(&self, count: u64) {
        self.0.service.data.executions.add(count);
    }

    /// Inserts a quote execution, or replaces the one with the same `id`.
    ///
    /// `created_at` can be any time, and determines the execution's place in listings. Existing
    /// cursors stay valid: the next page still begins after the last record of the previous page.
    /// `profile_id` can be any id, even the id of a profile that the sandbox doesn't know.
    pub fn insert_execution(&self, execution: QuoteExecution) {
        self.0.service.insert(execution);
    }

    /// Inserts a monitoring address, or replaces the one with the same `id`. See
    /// [`insert_execution`](Self::insert_execution) for details.
    pub fn insert_monitoring_address(&self, address: MonitoringAddress) {
        self.0.service.insert(address);
    }

    /// Inserts a deposit address, or replaces the one with the same `id`. See
    /// [`insert_execution`](Self::insert_execution) for details.
    pub fn insert_deposit_address(&self, address: DepositAddress) {
        self.0.service.insert(address);
    }

    /// The 10,000 most recently added members, oldest first.
    #[must_use]
    pub fn members(&self) -> Vec<InstitutionMember> {
        lock(&self.0.service.data.members).clone().into()
    }

    /// All current quote executions, newest first.
    #[must_use]
    pub fn executions(&self) -> impl DoubleEndedIterator<Item = QuoteExecution> + use<> {
        self.0.service.all()
    }

    /// All current monitoring addresses, newest first.
    #[must_use]
    pub fn monitoring_addresses(
        &self,
    ) -> impl DoubleEndedIterator<Item = MonitoringAddress> + use<> {
        self.0.service.all()
    }

    /// All current deposit addresses, newest first.
    #[must_use]
    pub fn deposit_addresses(&self) -> impl DoubleEndedIterator<Item = DepositAddress> + use<> {
        self.0.service.all()
    }
}
