//! `digital-assets description`: prints the OpenAPI description that the tool was built from.

use digital_assets::OPENAPI_YAML;

use crate::{failure::Failure, stdout};

pub(crate) fn print(json: bool) -> Result<(), Failure> {
    if !json {
        return stdout::print(OPENAPI_YAML);
    }
    let mut text = Vec::new();
    let mut writer = serde_json::Serializer::pretty(&mut text);
    serde_saphyr::with_deserializer_from_str(OPENAPI_YAML, |yaml| {
        // Transcoded directly, so that the keys keep their order.
        serde_transcode::transcode(yaml, &mut writer).map_err(serde::de::Error::custom)
    })
    .map_err(|error| Failure::other(error.to_string()))?;
    text.push(b'\n');
    stdout::print(&text)
}
