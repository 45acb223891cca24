"""`recipes.py FOLDER NAME` writes the recipes of clients/ to FOLDER, for readers who have the published
description and not this repository: NAME.yaml takes the place of openapi.yaml, and what is only for its
publisher is left out.
"""

import re
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[1]


def readme(text: str) -> str:
    text = text[: text.index("## Questions to the service's owner")]
    # The tests stay in the repository: their links become names.
    return re.sub(r"\[([^\]]*)\]\(\.\./tests/[^)]*\)", r"\1", text).rstrip() + "\n"


def main(folder: str, name: str) -> None:
    listed = subprocess.run(["git", "ls-files", "--cached", "--others", "--exclude-standard", "clients"], cwd=ROOT, check=True, capture_output=True, text=True)
    for file in listed.stdout.splitlines():
        text = (ROOT / file).read_text(encoding="utf-8")
        text = re.sub(r"((?:\.\./)+)openapi\.yaml", rf"\g<1>{name}.yaml", text).replace("`openapi.yaml`", f"`{name}.yaml`")
        target = Path(folder) / Path(file).relative_to("clients")
        if target.name == ".gitignore":
            continue
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(readme(text) if file == "clients/README.md" else text, encoding="utf-8")


if __name__ == "__main__":
    main(*sys.argv[1:])
