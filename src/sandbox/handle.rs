//! The methods of a sandbox for the records of this service.

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
    /// The number of quote executions, 5,000 by default.
    ///
    /// Records are generated when they are requested, so a million records take no more memory than
    /// ten. The more records there are, the longer the first page of a listing takes, because the
    /// sandbox then counts the matching records. The maximum is 2^40 for every kind of record.
    pub fn executions(mut self, count: u64) -> Self {
        self.counts.executions = count;
        self
    }

    /// The number of profiles that share the quote executions. 1 is both the default and the
    /// minimum.
    pub fn profiles(mut self, count: u64) -> Self {
        self.counts.profiles = count.max(1);
        self
    }

    /// The number of monitoring addresses, 400 by default.
    pub fn monitoring_addresses(mut self, count: u64) -> Self {
        self.counts.monitoring_addresses = count;
        self
    }

    /// The number of deposit addresses, 800 by default.
    pub fn deposit_addresses(mut self, count: u64) -> Self {
        self.counts.deposit_addresses = count;
        self
    }
}

impl Sandbox {
    /// The profile that owns the quote executions. If several profiles share them, this is the
    /// first profile of [`profile_ids`](Self::profile_ids).
    #[must_use]
    pub fn profile_id(&self) -> Uuid {
        self.0.service.id(PROFILE, 0)
    }

    /// The profiles that share the quote executions.
    #[must_use]
    pub fn profile_ids(&self) -> Vec<Uuid> {
        profiles(&self.0.service)
    }

    /// The only institution that accepts members.
    #[must_use]
    pub fn institution_id(&self) -> Uuid {
        institution(&self.0.service)
    }

    /// An identity that deposit addresses are bound to. Any identity can become a member.
    #[must_use]
    pub fn identity_id(&self) -> Uuid {
        self.0.service.id(IDENTITY, 0)
    }

    /// Adds quote executions that are newer than all other generated quote executions.
    pub fn add_executions(&self, count: u64) {
        self.0.service.data.executions.add(count);
    }

    /// Inserts a quote execution, or replaces the one with the same `id`.
    ///
    /// The execution can have any `created_at`, which decides its place in listings. Earlier
    /// cursors stay valid: the next page still begins after the last record of the previous page.
    /// If the sandbox doesn't know the `profile_id`, it adds this profile.
    pub fn insert_execution(&self, execution: QuoteExecution) {
        self.0.service.insert(execution);
    }

    /// Like [`insert_execution`](Self::insert_execution), but inserts a monitoring address, or
    /// replaces the one with the same `id`.
    pub fn insert_monitoring_address(&self, address: MonitoringAddress) {
        self.0.service.insert(address);
    }

    /// Like [`insert_execution`](Self::insert_execution), but inserts a deposit address, or
    /// replaces the one with the same `id`.
    pub fn insert_deposit_address(&self, address: DepositAddress) {
        self.0.service.insert(address);
    }

    /// The last 10,000 members that were added, the oldest first.
    #[must_use]
    pub fn members(&self) -> Vec<InstitutionMember> {
        lock(&self.0.service.data.members).clone().into()
    }

    /// All current quote executions, the newest first.
    #[must_use]
    pub fn executions(&self) -> impl DoubleEndedIterator<Item = QuoteExecution> + use<> {
        self.0.service.all()
    }

    /// All current monitoring addresses, the newest first.
    #[must_use]
    pub fn monitoring_addresses(
        &self,
    ) -> impl DoubleEndedIterator<Item = MonitoringAddress> + use<> {
        self.0.service.all()
    }

    /// All current deposit addresses, the newest first.
    #[must_use]
    pub fn deposit_addresses(&self) -> impl DoubleEndedIterator<Item = DepositAddress> + use<> {
        self.0.service.all()
    }
}
