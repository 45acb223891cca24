"""Generates, builds and runs the recipes of clients/recipes.yaml, and checks what they print.

`recipes.py CLIENTS README TABLE`: CLIENTS is a copy of the folder, in which clients are generated;
README has the table of an earlier run, which must say what this one finds; TABLE is where this one's
goes. Every program prints a line for each record: id, market, price and the two amounts.
"""

import json
import os
import subprocess
import sys
import urllib.parse
import urllib.request
from pathlib import Path

import yaml

HERE = Path(__file__).parent
HEADER = """\
| language | generator | walks a listing | amounts | unknown enum value | new field | to know |
|---|---|---|---|---|---|---|
"""


def env(name: str) -> str:
    return os.environ[f"DIGITAL_ASSETS_{name}"]


def get(url: str, data: dict | None = None, token: str = "") -> dict:
    body = urllib.parse.urlencode(data).encode() if data else None
    request = urllib.request.Request(url, body, {"Authorization": f"Bearer {token}"} if token else {})
    return json.load(urllib.request.urlopen(request))


def lines(base_url: str) -> list[str]:
    """What a program has to print, read without a generated client."""
    form = {
        "grant_type": "client_credentials",
        "client_id": env("CLIENT_ID"),
        "client_secret": env("CLIENT_SECRET"),
        "scope": "exchange:read_quote_execution",
    }
    token = get(env("AUTH_URL"), form)["access_token"]
    url = f"{base_url}/v2/profiles/{env('PROFILE_ID')}/quote-executions?status=SETTLED"
    found, query = [], "&limit=100"
    while True:
        page = get(url + query, token=token)
        for it in page["items"]:
            fields = [it[name] for name in ("id", "market", "price", "base_amount", "quote_amount")]
            found.append(" ".join(fields))
        if not page.get("next_page_cursor"):
            return found
        query = "&page_cursor=" + urllib.parse.quote(page["next_page_cursor"])


def version(tool: str) -> str:
    pins = (HERE / "requirements.txt").read_text().splitlines()
    packages = json.loads((HERE / "typescript/package.json").read_text())
    versions = dict(pin.split("==") for pin in pins if "==" in pin)
    return (versions | packages["devDependencies"])[tool]


class Failed(Exception):
    pass


def sh(command: str, folder: Path, **variables: str) -> list[str]:
    done = subprocess.run(
        ["bash", "-c", command],
        cwd=folder,
        env=os.environ | variables,
        capture_output=True,
        text=True,
        timeout=1200,
    )
    if done.returncode != 0:
        raise Failed(f"{command}\n{done.stdout[-2000:]}{done.stderr[-2000:]}")
    return done.stdout.splitlines()


def succeeds(command: str, folder: Path) -> bool:
    try:
        sh(command, folder)
    except Failed:
        return False
    return True


def cells(recipe: dict, folder: Path, wanted: list[str]) -> tuple[list[str], list[str]]:
    """What is found of a recipe, for its row; and what of it is a failure."""
    wrong = []

    def walk(base_url: str) -> list[str]:
        return sh(recipe["run"], folder, DIGITAL_ASSETS_BASE_URL=base_url)

    def tomorrow(what: str, judge) -> str:
        base_url = f"{os.environ['TOMORROW_URL']}/{what}"
        try:
            found = judge(walk(base_url), lines(base_url))
        except Failed as failure:
            print(failure)
            found = None
        if found is None:
            wrong.append(what)
        return found or "**fails**"

    def kept_or_replaced(found: list[str], expected: list[str]) -> str | None:
        if found == expected:
            return "kept"
        if len(found) != len(expected):
            return None
        value = found[0].split()[1]
        replaced = [expected[0].replace("NEWUSD", value), expected[1]]
        return f"read as `{value}`" if found == replaced else None

    try:
        walked = "yes" if walk(env("BASE_URL")) == wanted else "**no**"
    except Failed as failure:
        print(failure)
        walked = "**no**"
    if walked != "yes":
        wrong.append("walk")
    row = [
        walked,
        tomorrow("digits", lambda found, expected: "exact" if found == expected else None),
        tomorrow("enum", kept_or_replaced),
        tomorrow("field", lambda found, expected: "accepted" if found == expected else None),
    ]
    return row, wrong


def outcome(recipe: dict, folder: Path, wanted: list[str]) -> tuple[list[str] | None, list[str]]:
    """The cells of a recipe, or none where it can't be run here; and what of it is a failure."""
    if recipe["tool"] == "openapi-generator-cli" and not succeeds("java -version", folder):
        return None, []
    try:
        sh(recipe["generate"], folder)
        if "text" in recipe:
            sh(recipe["text"], folder)
        here = "needs" in recipe and succeeds(recipe["needs"], folder)
        if here and "build" in recipe:
            sh(recipe["build"], folder)
        if "run" not in recipe:
            return ["generated, not run", "typed as text", "", ""], []
        return cells(recipe, folder, wanted) if here else (None, [])
    except Failed as failure:
        print(failure)
        return ["**no**", "", "", ""], ["generate and build"]


def main() -> None:
    clients, readme, table = map(Path, sys.argv[1:])
    rows = [row for row in readme.read_text().splitlines() if row.startswith("| [")]
    before = {row.split(" | ")[0]: row for row in rows}
    wanted = lines(env("BASE_URL"))
    assert len(wanted) > 100, "more than a page"
    text, failures = HEADER, 0
    for recipe in yaml.safe_load((clients / "recipes.yaml").read_text()):
        title = f"| [{recipe['language']}]({recipe['folder']})"
        generator = f"{recipe['tool']} {version(recipe['tool'])}"
        found, wrong = outcome(recipe, clients / recipe["folder"], wanted)
        said = "skipped " if found is None else "FAILED  " if wrong else "ok      "
        detail = ", ".join(wrong or filter(None, found or ["what it needs isn't here"]))
        print(f"{said} {recipe['language']}, {generator}: {detail}", flush=True)
        failures += bool(wrong)
        know = " ".join(recipe["know"].split())
        row = " | ".join([title, generator, *(found or ["not run", "", "", ""]), know]) + " |"
        # What can't be run here, another machine has run.
        text += (before.get(title, row) if found is None else row) + "\n"
    table.write_text(text)
    raise SystemExit(failures > 0)


main()
