//! The rooms of `src` in one order: each imports only from itself and from those before it.

use std::{fs, path::Path};

const ROOMS: [&str; 17] = [
    "operation",
    "future",
    "lock",
    "json",
    "error",
    "decode",
    "value_builder",
    "http",
    "retry",
    "validate",
    "auth",
    "call",
    "client",
    "listing",
    "generated",
    "lib",
    "sandbox",
];

#[test]
fn every_room_imports_only_from_those_before_it() {
    let src = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let lib = fs::read_to_string(src.join("lib.rs")).unwrap();
    let place = |room: &str| ROOMS.iter().position(|known| *known == room);
    // `crate::Error` is `crate::error::Error`, as the root says.
    let room_of = |name: &str| -> Option<usize> {
        place(name).or_else(|| {
            let exports = lib.split("pub use ").skip(1).filter_map(|rest| rest.split_once("::"));
            let mut of_name = exports.filter(|(_, names)| {
                let names = names.split(';').next().unwrap();
                names.split(|c: char| !c.is_alphanumeric()).any(|known| known == name)
            });
            place(of_name.next()?.0)
        })
    };
    let mut imports = 0;

    for file in files(&src) {
        let inner = file.strip_prefix(&src).unwrap().to_str().unwrap();
        let room = inner.split(['/', '.']).next().unwrap();
        let here = place(room).unwrap_or_else(|| panic!("`{room}` has no place in the order"));
        for name in imported(&fs::read_to_string(&file).unwrap()) {
            imports += 1;
            let there = room_of(&name).unwrap_or_else(|| panic!("{inner}: {name} is of no room"));
            assert!(there <= here, "{inner} imports {name}, which stands above it");
        }
    }

    assert!(imports > 100, "only {imports} imports were found");
}

/// The files of code, without tests.
fn files(folder: &Path) -> Vec<std::path::PathBuf> {
    let entries = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    let code = entries.filter(|path| path.file_stem().unwrap() != "tests");
    code.flat_map(|path| if path.is_dir() { files(&path) } else { vec![path] })
        .filter(|path| path.extension().is_some_and(|extension| extension == "rs"))
        .collect()
}

/// What follows each `crate::` in a file's code.
fn imported(code: &str) -> Vec<String> {
    let code = code.split("#[cfg(test)]").next().unwrap();
    let lines = code.lines().filter(|line| !line.trim_start().starts_with("//"));
    let code: String = lines.flat_map(str::chars).filter(|c| !c.is_whitespace()).collect();
    code.split("crate::").skip(1).flat_map(heads).collect()
}

/// The first name of a path, or of each path in a group.
fn heads(path: &str) -> Vec<String> {
    let mut depth = 0;
    let mut is_comma_of_group = |c: char| {
        depth += i32::from(c == '{') - i32::from(c == '}');
        c == ',' && depth == 1
    };
    let group = path.split(';').next().unwrap();
    let paths: Vec<&str> = if group.starts_with('{') {
        group.split(&mut is_comma_of_group).collect()
    } else {
        vec![group]
    };
    let name = |path: &str| {
        let path = path.trim_start_matches('{');
        path.split(|c: char| !c.is_alphanumeric() && c != '_').next().unwrap().to_owned()
    };
    paths.into_iter().map(name).filter(|name| !name.is_empty()).collect()
}
