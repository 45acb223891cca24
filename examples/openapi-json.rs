//! Writes the description as JSON, for tools that don't read YAML: to `openapi.json`, or to the
//! path that is given.

#![allow(clippy::print_stdout)]

use std::{env, error::Error, fs};

use digital_assets::OPENAPI_YAML;

fn main() -> Result<(), Box<dyn Error>> {
    let path = env::args().nth(1).unwrap_or_else(|| "openapi.json".to_owned());
    let mut json = Vec::new();
    let mut writer = serde_json::Serializer::pretty(&mut json);
    serde_saphyr::with_deserializer_from_str(OPENAPI_YAML, |yaml| {
        // Straight from one to the other, so that everything keeps its order.
        serde_transcode::transcode(yaml, &mut writer).map_err(serde::de::Error::custom)
    })?;
    json.push(b'\n');
    fs::write(&path, json)?;
    println!("{path}");
    Ok(())
}
