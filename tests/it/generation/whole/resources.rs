//! What the service of 130 operations has, beside that of `openapi.yaml`.

/// A kind of record, with nine operations of its own.
pub(super) struct Resource {
    pub(super) one: &'static str,
    pub(super) many: &'static str,
    pub(super) area: &'static str,
}

const fn of(area: &'static str, one: &'static str, many: &'static str) -> Resource {
    Resource { one, many, area }
}

pub(super) const ALL: &[Resource] = &[
    of("Transfer", "Withdrawal", "Withdrawals"),
    of("Exchange", "Quote", "Quotes"),
    of("Exchange", "Trade", "Trades"),
    of("Rewards", "Payout", "Payouts"),
    of("Rewards", "Programme", "Programmes"),
    of("Identity", "Document", "Documents"),
    of("Identity", "Person", "People"),
    of("Transfer", "BankAccount", "BankAccounts"),
    of("Transfer", "FiatDeposit", "FiatDeposits"),
    of("Accounts", "Profile", "Profiles"),
    of("Accounts", "Balance", "Balances"),
    of("Accounts", "Statement", "Statements"),
    of("Settlement", "Batch", "Batches"),
    of("Settlement", "Type", "Types"),
];

impl Resource {
    /// `bank-accounts`.
    pub(super) fn segment(&self) -> String {
        snake(self.many).replace('_', "-")
    }

    /// `bank_account_id`.
    pub(super) fn id(&self) -> String {
        format!("{}_id", snake(self.one))
    }

    pub(super) fn scope(&self, verb: &str) -> String {
        format!("{}:{verb}_{}", self.area.to_lowercase(), snake(self.one))
    }
}

/// `listBankAccounts` as `list_bank_accounts`.
pub(super) fn snake(name: &str) -> String {
    let mut snake = String::new();
    for c in name.chars() {
        let is_separator = matches!(c, '.' | '-');
        if (is_separator || c.is_ascii_uppercase()) && !snake.is_empty() && !snake.ends_with('_') {
            snake.push('_');
        }
        if !is_separator {
            snake.push(c.to_ascii_lowercase());
        }
    }
    snake
}
