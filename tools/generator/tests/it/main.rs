//! The description decides: what is added to `openapi.yaml` alone is served whole, and what can't
//! be served stops the build with a sentence.

#![allow(clippy::unwrap_used)]

mod compiled;
mod depth;
mod listings;
mod media_types;
mod places;
mod refusals;
mod script;
mod types;

#[test]
fn what_cannot_be_served_stops_the_build_with_a_sentence() {
    let yaml = include_str!("../../../../openapi.yaml");
    let twice =
        "        items:\n          type: array\n          description: The records of this page.";
    let cases = [
        (
            "      operationId: listQuoteExecutions\n",
            "",
            "GET /v2/profiles/{profile_id}/quote-executions: has no operationId",
        ),
        (
            twice,
            "        others:\n          type: array\n          items:\n            $ref: \
             '#/components/schemas/QuoteExecution'\n        these:\n          type: array\n          \
             description: The records of this page.",
            "listQuoteExecutions → responses → QuoteExecutionPage: has 2 arrays, of which \
             `x-items: true` marks none",
        ),
        (
            "x-not-with-page-cursor: true",
            "x-not-with-page-cursor: 'true'",
            "listQuoteExecutions → query limit → x-not-with-page-cursor: is not a boolean",
        ),
        ("        - PENGUUSD\n", "", "Market → x-enum-varnames: has 28 names for 27 values"),
    ];
    for (from, to, sentence) in cases {
        assert!(yaml.contains(from), "the description has no {from}");

        let outcome = script::run(&yaml.replacen(from, to, 1));

        let told = outcome.refusals.join("\n");
        assert!(told.contains(sentence), "{sentence}\n{told}");
    }
}
