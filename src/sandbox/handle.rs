//! The methods of the sandbox for the records of this service.

use oas_client::sandbox::Data;
use uuid::Uuid;

use super::records::{IDENTITY, PROFILE, Records, institution, profiles};
use crate::types::{DepositAddress, InstitutionMember, MonitoringAddress, QuoteExecution};

impl Records {
    /// The id of the profile that owns the quote executions. If there are several profiles, this is
    /// the first id in [`profile_ids`](Self::profile_ids).
    #[must_use]
    pub fn profile_id(&self) -> Uuid {
        self.id(PROFILE, 0)
    }

    /// The ids of the profiles that own the quote executions.
    #[must_use]
    pub fn profile_ids(&self) -> Vec<Uuid> {
        profiles(self)
    }

    /// The id of the only institution that members can be added to.
    #[must_use]
    pub fn institution_id(&self) -> Uuid {
        institution(self)
    }

    /// The id of one of the identities that deposit addresses belong to. Any identity, even an
    /// unknown one, can be added as a member.
    #[must_use]
    pub fn identity_id(&self) -> Uuid {
        self.id(IDENTITY, 0)
    }

    /// Generates `count` more quote executions, newer than all executions generated so far.
    pub fn add_executions(&self, count: u64) {
        self.executions.add(count);
    }

    /// Inserts a quote execution, or replaces the one with the same `id`.
    ///
    /// `created_at` can be any time, and determines the execution's place in listings. Existing
    /// cursors stay valid: the next page still begins after the last record of the previous page.
    /// `profile_id` can be any id, even the id of a profile that the sandbox doesn't know.
    pub fn insert_execution(&self, execution: QuoteExecution) {
        self.insert(execution);
    }

    /// Inserts a monitoring address, or replaces the one with the same `id`. See
    /// [`insert_execution`](Self::insert_execution) for details.
    pub fn insert_monitoring_address(&self, address: MonitoringAddress) {
        self.insert(address);
    }

    /// Inserts a deposit address, or replaces the one with the same `id`. See
    /// [`insert_execution`](Self::insert_execution) for details.
    pub fn insert_deposit_address(&self, address: DepositAddress) {
        self.insert(address);
    }

    /// The 10,000 most recently added members, oldest first.
    #[must_use]
    pub fn members(&self) -> Vec<InstitutionMember> {
        self.members.to_vec()
    }

    /// All current quote executions, newest first.
    #[must_use]
    pub fn executions(&self) -> impl DoubleEndedIterator<Item = QuoteExecution> {
        self.all()
    }

    /// All current monitoring addresses, newest first.
    #[must_use]
    pub fn monitoring_addresses(&self) -> impl DoubleEndedIterator<Item = MonitoringAddress> {
        self.all()
    }

    /// All current deposit addresses, newest first.
    #[must_use]
    pub fn deposit_addresses(&self) -> impl DoubleEndedIterator<Item = DepositAddress> {
        self.all()
    }
}
