//! Generates the tool's table of operations from the OpenAPI description of the service.

fn main() {
    oas_client_build::run_tool("../openapi.yaml", "digital_assets");
}
