//! The generated file as it is read in reviews: every change of the public API is a difference here.

use std::{env, fs, path::Path};

const GENERATED: &str = include_str!(concat!(env!("OUT_DIR"), "/client.rs"));

#[test]
fn the_generated_file_is_the_one_that_was_read() {
    let golden = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/golden/client.rs");
    if env::var_os("RENEW_GOLDEN").is_some() {
        fs::write(&golden, GENERATED).unwrap();
    }

    let read = fs::read_to_string(&golden).unwrap();

    let differs = std::iter::zip(read.lines(), GENERATED.lines()).position(|(a, b)| a != b);
    assert!(
        read == GENERATED,
        "build.rs writes another file than tests/golden/client.rs, from line {} on. If that is \
         meant, renew it and read the difference: RENEW_GOLDEN=1 cargo test --test golden",
        differs.unwrap_or_else(|| read.lines().count().min(GENERATED.lines().count())) + 1
    );
}
