"""Checks tools/description-diff with each change in changes.yaml: the reported level and message must match
the table, and agree with the effects on clients. It also compares the description with invalid copies in
which a part is missing or replaced: the comparison must report every difference and must never fail.
"""

import subprocess
import sys
import tempfile
from pathlib import Path
from runpy import run_path

from model import ANSWERS, BASE, edit, load

sys.path.insert(0, str(Path(__file__).parents[3] / "tools/description-diff"))
compare = run_path(str(Path(sys.path[0]) / "__main__.py"))["compare"]
ORDER = ["BREAKING", "addition", "words"]


def wrong(row: dict) -> list[str]:
    old, new = edit(BASE, row.get("before", [])), edit(BASE, row["edits"])
    edit(ANSWERS, row.get("answers", []))
    found = compare(old, new)
    levels = [it.level for it in found]
    problems = []
    level = min(levels, key=ORDER.index, default="nothing")
    if level != row["is"]:
        problems.append(f"is {level}, not {row['is']}")
    elif level != "nothing" and not any(row["says"] in str(it) and it.level == level for it in found):
        problems.append(f"doesn't say: {row['says']}")
    if len(found) != row.get("only", len(found)):
        problems.append(f"reports {len(found)} changes, not {row['only']}")
    if not all(it.todo for it in found if it.level == "BREAKING"):
        problems.append("doesn't say what to do")
    noticed = bool(row.get("clients"))
    if row["is"] == "BREAKING" and not noticed and "service" not in row:
        problems.append("it affects no client, but the table has no `service`")
    if row["is"] != "BREAKING" and noticed != ("although" in row):
        problems.append(f"it affects clients {row.get('clients')}, but `although` is {row.get('although')}")
    return problems + [f"  {it}" for it in found] if problems else []


def places(node, here=()):
    children = node.items() if isinstance(node, dict) else enumerate(node) if isinstance(node, list) else ()
    for key, child in children:
        yield (*here, key)
        yield from places(child, (*here, key))


def broken() -> tuple[int, list[str]]:
    """Compares the description with copies in which one part is removed or replaced with an invalid value."""
    count, problems = 0, []
    for place in places(BASE):
        for odd in (..., None, True, 7, "odd", [], {}, [7], {"odd": 7}, {"$ref": "#/odd"}, {"$ref": "#/" + "/".join(map(str, place))}):
            new = edit(BASE, [])
            node = new
            for key in place[:-1]:
                node = node[key]
            if odd is ...:
                del node[place[-1]]
            else:
                node[place[-1]] = odd
            count += 1
            try:
                both = compare(BASE, new), compare(new, BASE)
            except Exception as error:
                problems.append(f"{'/'.join(map(str, place))} = {odd}: {error!r}")
                continue
            if new != BASE and place != ("info", "version") and not all(both):
                problems.append(f"{'/'.join(map(str, place))} = {odd}: no change is reported")
    return count, problems


def unreadable() -> list[str]:
    """Runs the command with texts that it can't read. Each has to end with status 2 and one message."""
    texts = {
        "merge key": ("a: &a {b: 1}\nc: {<<: *a}\n", "merge keys (`<<`) aren't supported"),
        "duplicate key": ("a: 1\nb: 2\na: 3\n", "the key `a` occurs twice"),
        "duplicate status": ("responses:\n  200: {}\n  200: {}\n", "the key `200` occurs twice"),
        "alias in its own object": ("a: &a\n  b: *a\n", "unconstructable recursive node"),
        "alias in its own array": ("a: &a [*a]\n", "unconstructable recursive node"),
        "reference to a file": ("paths: {$ref: 'paths.yaml#/a'}\n", "#/paths: references to other files aren't supported"),
        "reference to a URL": ("a: [{$ref: 'https://example.com/a.yaml'}]\n", "#/a/0: references to other files aren't supported"),
        "an array as a key": ("? [a]\n: 1\n", "a key isn't a scalar"),
        "deep nesting": ("[" * 5000, "recursion"),
        "a tag": ("a: !!python/name:os.system\n", "could not determine a constructor"),
        "Latin-1": ("a: caf\udce9\n", "can't decode byte"),
        "a large number": ("a: 0x" + "f" * 9 + "\nb: 1" + "0" * 5000 + "\n", "integer string"),
        "no YAML": ("a: [\n", "expected"),
    }
    problems = []
    with tempfile.TemporaryDirectory() as folder:
        old, new = Path(folder, "old.yaml"), Path(folder, "new.yaml")
        old.write_text("openapi: 3.0.3\n")
        for name, (text, message) in texts.items():
            new.write_bytes(text.encode(errors="surrogateescape"))
            for files in ((old, new), (new, old)):
                done = subprocess.run([sys.executable, sys.path[0], *files], capture_output=True, text=True)
                if done.returncode != 2 or done.stdout or message not in done.stderr or "Traceback" in done.stderr:
                    problems.append(f"{name}: status {done.returncode}, {done.stdout}{done.stderr[-300:]}")
    return problems


table, failures = load(), 0
for row in table:
    if problems := wrong(row):
        failures += 1
        print(f"{row['change']}: " + "\n  ".join(problems))
count, problems = broken()
problems += unreadable()
for problem in problems[:20]:
    print(problem)
print(f"{len(table)} changes, {failures} with a wrong result; {count} invalid descriptions, {len(problems)} failures")
raise SystemExit(bool(failures or problems or compare(BASE, BASE)))
