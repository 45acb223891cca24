"""`readme.py CLIENTS TABLE [--write]` generates a part of CLIENTS/README.md from recipes.yaml and TABLE, the results
of running the recipes. It fails if the README has other contents, or updates the README with `--write`.
"""

import subprocess
import sys
from pathlib import Path

import yaml

BEGIN = "<!-- made by tests/languages/run -->\n"
END = "<!-- until here -->\n"

clients, table = Path(sys.argv[1]), Path(sys.argv[2])
readme = clients / "README.md"


def files(folder: str) -> list[str]:
    """Lists the files in a folder that belong to the repository, without generated files."""
    command = ["git", "ls-files", "--cached", "--others", "--exclude-standard", folder]
    listed = subprocess.run(command, cwd=clients, check=True, capture_output=True, text=True)
    return sorted(path.removeprefix(f"{folder}/") for path in listed.stdout.splitlines())


made = "\n" + table.read_text()
for recipe in yaml.safe_load((clients / "recipes.yaml").read_text()):
    folder = recipe["folder"]
    steps = [" ".join(recipe[step].split()) for step in ("install", "generate", "libraries", "build") if step in recipe]
    steps += [recipe["run"].replace("{}", Path(program).stem) for program in recipe.get("programs", {}).values()]
    links = ", ".join(f"[{name}]({folder}/{name})" for name in files(folder))
    made += f"\n### {recipe['language']}: {recipe['tool']}\n\nRun these commands in `{folder}/`. Files in this folder: {links}.\n\n"
    made += "```sh\n" + "\n".join(steps) + "\n```\n"

before, rest = readme.read_text().split(BEGIN)
old, after = rest.split(END)
if "--write" in sys.argv:
    readme.write_text(before + BEGIN + made + "\n" + END + after)
elif old != made + "\n":
    print("\n".join(line for line in made.splitlines() if line not in old.splitlines()))
    sys.exit("clients/README.md is out of date; run `tests/languages/run --write` to update it")
