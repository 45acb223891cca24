//! Reads and audits `openapi.yaml`, has progenitor make its types, and writes the client.

fn main() {
    oas_client_build::run("openapi.yaml", |api| {
        progenitor::Generator::new(&api.settings()?).generate_tokens(&api.document())
    });
}
