fn main() {
    oas_client_build::run("openapi.yaml", |api| {
        progenitor::Generator::new(&api.settings()?).generate_tokens(&api.document())
    });
}
