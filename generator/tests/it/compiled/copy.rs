//! Copies of the crate with other OpenAPI descriptions.

use std::{
    fs,
    path::{Path, PathBuf},
    process::{Command, Output},
};

/// A copy of the crate, which shares the crate's target directory so that dependencies aren't built
/// again.
pub(crate) struct Copy(pub(crate) PathBuf);

impl Copy {
    pub(crate) fn new(name: &str) -> Self {
        let copy = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
        let _ = fs::remove_dir_all(&copy);
        let source = root();
        let parts = ["Cargo.toml", "Cargo.lock", "README.md", "openapi.yaml", "build.rs", "src"];
        for part in parts {
            copy_all(&source.join(part), &copy.join(part));
        }
        let packages = source.display();
        // The copy has a different name, because cargo confuses packages with the same name in
        // different folders.
        let own = format!("digital-assets-{name}");
        let manifest = fs::read_to_string(copy.join("Cargo.toml")).unwrap();
        let manifest = manifest
            .replace("name = \"digital-assets\"", &format!("name = \"{own}\""))
            .replace("{ path = \".\"", &format!("{{ package = \"{own}\", path = \".\""))
            .replace("path = \"generator\"", &format!("path = \"{packages}/generator\""))
            .replace("path = \"runtime\"", &format!("path = \"{packages}/runtime\""))
            .replace("\n[features]", "\n[lib]\nname = \"digital_assets\"\n\n[features]");
        // The copy has no tests, examples or other workspace members.
        let (lints, manifest) = (manifest.find("\n[workspace.lints").unwrap(), manifest);
        let manifest = manifest.split("\n[[").next().unwrap().to_owned() + &manifest[lints..];
        let of_others = ["members = ", "default-members = ", "autoexamples = "];
        let alone = manifest.lines().filter(|line| !of_others.iter().any(|o| line.starts_with(o)));
        fs::write(copy.join("Cargo.toml"), alone.collect::<Vec<_>>().join("\n")).unwrap();
        Self(copy)
    }

    pub(crate) fn describe(&self, yaml: &str) {
        fs::write(self.0.join("openapi.yaml"), yaml).unwrap();
    }

    /// Returns the target directory, which the crate itself also uses.
    pub(crate) fn target() -> &'static Path {
        Path::new(env!("CARGO_TARGET_TMPDIR")).parent().unwrap()
    }

    pub(crate) fn cargo(&self, arguments: &[&str]) -> Output {
        self.cargo_with(arguments, &[])
    }

    pub(crate) fn cargo_with(&self, arguments: &[&str], environment: &[(&str, &str)]) -> Output {
        Command::new(env!("CARGO"))
            .args(arguments)
            .args(["--offline", "--target-dir"])
            .arg(Self::target())
            .current_dir(&self.0)
            .env("CARGO_TERM_COLOR", "never")
            .envs(environment.iter().copied())
            .output()
            .unwrap()
    }
}

pub(crate) fn copy_all(from: &Path, to: &Path) {
    if from.is_dir() {
        fs::create_dir_all(to).unwrap();
        for entry in fs::read_dir(from).unwrap() {
            let entry = entry.unwrap();
            copy_all(&entry.path(), &to.join(entry.file_name()));
        }
    } else {
        fs::create_dir_all(to.parent().unwrap()).unwrap();
        fs::copy(from, to).unwrap();
    }
}

pub(crate) fn text(output: &Output) -> String {
    String::from_utf8_lossy(&output.stdout).into_owned() + &String::from_utf8_lossy(&output.stderr)
}

/// Returns the folder of the crate.
pub(crate) fn root() -> &'static Path {
    let mut folders = Path::new(env!("CARGO_MANIFEST_DIR")).ancestors();
    folders.find(|folder| folder.join("openapi.yaml").exists()).unwrap()
}
