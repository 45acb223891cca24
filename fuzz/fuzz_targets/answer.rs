//! Any bytes as the answer to every operation, and as the headers and token that come with it.

#![no_main]

use digital_assets::fuzzing;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| {
    fuzzing::answer(bytes);
    fuzzing::refusal(bytes);
    fuzzing::headers(bytes);
    fuzzing::checkpoint(bytes);
});
