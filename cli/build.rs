//! Generates the command-line tool's table of operations from the service's OpenAPI description.

fn main() {
    oas_client_build::run_tool("../openapi.yaml", "digital_assets");
}
