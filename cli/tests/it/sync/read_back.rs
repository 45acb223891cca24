//! Tables in Postgres that change what is written to them, or hide a change. A sync must compare
//! exactly the text that its transaction leaves.

use digital_assets::sandbox::Sandbox;

use super::{Books, postgres::Database};
use crate::tool::Tool;

/// A collation for which `BTCUSD` and `btcusd` are equal.
const CASELESS: &str = "CREATE COLLATION caseless \
                        (provider = icu, locale = 'und-u-ks-level2', deterministic = false);";

/// The statements that create a deferred trigger, which rounds prices at the end of a transaction.
/// It rounds the price of each written row for which this condition is true.
pub(super) fn rounds(condition: &str) -> String {
    format!(
        "CREATE FUNCTION rounded() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
             UPDATE quote_executions SET price = round(price) WHERE id = NEW.id AND {condition};
             RETURN NULL;
         END $$;
         CREATE CONSTRAINT TRIGGER rounds AFTER INSERT OR UPDATE ON quote_executions
             DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION rounded();"
    )
}

/// The statements that create a table whose key and other text columns are compared without case.
pub(super) fn caseless(schema: &str) -> String {
    format!(
        "SET search_path = {schema}; {CASELESS}
         CREATE TABLE quote_executions (id TEXT COLLATE caseless PRIMARY KEY,
             profile_id TEXT COLLATE caseless, market TEXT COLLATE caseless,
             status TEXT COLLATE caseless, price NUMERIC);"
    )
}

#[tokio::test]
#[ignore = "needs a server: cli/tests/with-postgres cargo test … -- --ignored"]
async fn a_change_of_case_is_seen_whatever_the_collation_of_the_column() {
    let database = Database::with("caseless", &caseless("caseless"));
    let tool = Tool::with(Sandbox::builder().executions(60), "caseless").await;
    let sync = ["sync", "list-quote-executions", "--to", &database.url];
    let verify = ["verify", "list-quote-executions", "--from", &database.url];
    tool.run(&sync).await.succeeds();
    let mut execution = tool.sandbox.executions().next().unwrap();
    let (id, market) = (execution.id, execution.market.to_string());
    let other = tool.sandbox.executions().nth(1).unwrap().id;

    execution.market = market.to_lowercase().as_str().into();
    tool.sandbox.insert_execution(execution);
    let found = tool.run(&verify).await.ends(4);
    let changed = tool.run(&sync).await.succeeds();
    let equal = tool.run(&verify).await;
    database.execute(&format!("UPDATE quote_executions SET id = upper(id) WHERE id = '{other}'"));
    let key = tool.run(&verify).await.ends(4);
    let refused = tool.run(&sync).await;

    let (was, is) = (&market, market.to_lowercase());
    let line = format!("different {id}: market is {is} in the service, {was} in the table\n");
    assert_eq!(found.stdout, line, "{found:?}");
    changed.tells("0 new, 1 changed");
    assert_eq!((equal.status, equal.stdout.as_str()), (Some(0), ""), "{equal:?}");
    let upper = other.to_string().to_uppercase();
    let line = format!("id is {other} in the service, {upper} in the table");
    assert!(key.stdout.contains(&line), "{key:?}");
    refused.says(1, "changes rows that are written to it").tells(&line);
}

#[tokio::test]
#[ignore = "needs a server: cli/tests/with-postgres cargo test … -- --ignored"]
async fn what_a_deferred_trigger_changes_is_read_back_before_the_commit() {
    let made = "SET search_path = deferred;
                CREATE TABLE quote_executions (id UUID PRIMARY KEY, price NUMERIC);";
    let database =
        Database::with("deferred", &(made.to_owned() + &rounds("price <> round(price)")));
    let tool = Tool::with(Sandbox::builder().executions(60), "deferred").await;
    let sync = ["sync", "list-quote-executions", "--to", &database.url];

    let run = tool.run(&sync).await;

    run.says(1, "changes rows that are written to it").tells("price is");
    assert!(database.query("SELECT id::text FROM quote_executions").is_empty());
    database.execute("DROP TRIGGER rounds ON quote_executions");
    tool.run(&sync).await.succeeds();
    assert!(database.equals(&tool), "the table doesn't equal the listing");
}
