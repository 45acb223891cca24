//! Generates the typed client from `openapi.yaml` and nothing else.

fn main() {
    oas_client_build::run("openapi.yaml");
}
