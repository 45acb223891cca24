"""`recipes.py FOLDER NAME` copies the recipes from clients/ to FOLDER, for publication. The copies use NAME.yaml
instead of openapi.yaml, and leave out the sections that are only for the publisher.
"""

import re
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[1]


def readme(text: str) -> str:
    text = text[: text.index("## Questions to the service's owner")]
    # The tests aren't published, so links to them become plain text.
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
