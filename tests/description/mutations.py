"""`mutations.py FOLDER` writes to FOLDER a copy of openapi.yaml for each mistake in mutations.yaml, and lints
the copies like tests/description/lint. It fails if no tool finds one of the mistakes.
"""

import json
import subprocess
import sys
from pathlib import Path

import yaml

HERE = Path(__file__).parent
ROOT = HERE.parents[1]
sys.path.insert(0, str(HERE / "changes"))
from model import edit  # noqa: E402

folder = Path(sys.argv[1])
folder.mkdir(parents=True, exist_ok=True)
document = yaml.safe_load((ROOT / "openapi.yaml").read_text())
mistakes = yaml.safe_load((HERE / "mutations.yaml").read_text())
files = {}
for number, row in enumerate([{"mistake": "none", "edits": []}, *mistakes]):
    file = folder / f"{number}.json"
    file.write_text(json.dumps(edit(document, row["edits"]), indent=1))
    files[file.name] = row["mistake"]


def run(copies: list[str], *command: str) -> str:
    done = subprocess.run([*command, *copies], cwd=folder, capture_output=True, text=True, timeout=1800)
    if done.returncode not in (0, 1):
        sys.exit(f"{command[0]}: {done.stdout[-2000:]}{done.stderr[-2000:]}")
    return done.stdout


tools = HERE / "node_modules/.bin"
found: dict[str, set[str]] = {name: set() for name in files}
spectral = run([*files], str(tools / "spectral"), "lint", "--quiet", "--ruleset", str(ROOT / ".spectral.yaml"), "--fail-severity", "hint", "--format", "json")
for problem in json.loads(spectral):
    found[Path(problem["source"]).name].add(str(problem["code"]))
# The slower tool, redocly, reads only the copies in which spectral finds nothing.
left = [name for name, problems in found.items() if not problems]
redocly = run(left, str(tools / "redocly"), "lint", "--config", str(ROOT / "redocly.yaml"), "--max-problems", "1000", "--format", "json")
# redocly prints one JSON document per file, without a separator.
for report in json.loads("[" + redocly.replace("\n}{\n", "\n},{\n") + "]"):
    for problem in report["problems"]:
        found[Path(problem["location"][0]["source"]["ref"]).name].add(problem["ruleId"])

passed = [files[name] for name, problems in found.items() if not problems]
for name, problems in found.items():
    if "--verbose" in sys.argv:
        print(f"{files[name]}: {', '.join(sorted(problems))}")
for mistake in passed[1:] if passed[:1] == ["none"] else passed:
    print(f"no tool finds: {mistake}")
if found["0.json"]:
    print(f"reported in the copy without a mistake: {found['0.json']}")
print(f"{len(mistakes)} mistakes, {len(mistakes) + 1 - len(passed)} found")
raise SystemExit(passed != ["none"])
