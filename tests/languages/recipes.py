"""Generates and builds the recipes in clients/recipes.yaml, and runs the same scenarios with each.

Usage: `recipes.py CLIENTS README TABLE`. CLIENTS is a copy of the folder clients/, in which the
clients are generated. README contains the table from an earlier run, and its rows must match the
results. The new table is written to TABLE. Every program prints one line per record: the id, market,
price and both amounts of an execution; the id, network and address of an address; both identifiers
of a member. The programs call the sandbox, whose control routes at SANDBOX_URL set up the scenarios.
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
| language | generator | token | pages | two networks | amounts | unknown enum value | new field | 429 | 401 | truncated response | remarks |
|---|---|---|---|---|---|---|---|---|---|---|---|
"""
LIST = "listQuoteExecutions"
EXECUTION = {
    "id": "0c1f4a3e-5b7d-4f5c-8a55-6a1d2b9c7e01",
    "profile_id": "7f6c1a52-0a54-4c3e-9d1b-3f8f1c6f2a10",
    "quote_id": "9b2d7c60-41c5-4e0a-b3a7-5d8e6f1a2b03",
    "status": "SETTLED",
    "market": "BTCUSD",
    "side": "BUY",
    "price": "1.10",
    "base_amount": "100",
    "base_asset": "BTC",
    "quote_amount": "110.00",
    "quote_asset": "USD",
    "created_at": "2025-06-01T12:00:00Z",
}
# Values that replace those of EXECUTION in the first of two records.
DIGITS = {
    "price": "0.100",
    "base_amount": "12345678901234567890.0123456789012345678900",
    "quote_amount": "1234567890123456789.001234567890123456789",
}
MARKET = {"market": "NEWUSD"}
FIELDS = {"fee": {"asset": "USD", "amount": "0.10"}, "venue": "X"}


def env(name: str) -> str:
    return os.environ[f"DIGITAL_ASSETS_{name}"]


def get(url: str, data: dict | None = None, token: str = "") -> dict:
    body = urllib.parse.urlencode(data).encode() if data else None
    request = urllib.request.Request(url, body, {"Authorization": f"Bearer {token}"} if token else {})
    return json.load(urllib.request.urlopen(request))


def control(method: str, path: str = "", body: dict | None = None) -> dict:
    data = None if body is None else json.dumps(body).encode()
    url = f"{os.environ['SANDBOX_URL']}/sandbox{path}"
    request = urllib.request.Request(url, data, {"Content-Type": "application/json"}, method=method)
    return json.loads(urllib.request.urlopen(request).read() or "null")


FIELDS_OF = {
    "listQuoteExecutions": ("id", "market", "price", "base_amount", "quote_amount"),
    "listDepositAddresses": ("id", "crypto_network", "address"),
    "listMonitoringAddresses": ("id", "crypto_network", "address"),
}


def line(record: dict, operation: str = LIST) -> str:
    return " ".join(record[name] for name in FIELDS_OF[operation])


def lines(operation: str, scope: str, path: str, query: str) -> list[str]:
    """Returns the lines that a program must print, read without a generated client."""
    form = {
        "grant_type": "client_credentials",
        "client_id": env("CLIENT_ID"),
        "client_secret": env("CLIENT_SECRET"),
        "scope": scope,
    }
    token = get(env("AUTH_URL"), form)["access_token"]
    url = f"{env('BASE_URL')}{path}?{query}"
    found, cursor = [], ""
    while True:
        page = get(url + cursor, token=token)
        found += [line(it, operation) for it in page.get("items") or page.get("addresses", [])]
        if not page.get("next_page_cursor"):
            return found
        cursor = "&page_cursor=" + urllib.parse.quote(page["next_page_cursor"])


def expected() -> dict[str, list[str]]:
    executions = f"/v2/profiles/{env('PROFILE_ID')}/quote-executions"
    return {
        LIST: lines(LIST, "exchange:read_quote_execution", executions, "status=SETTLED"),
        "listDepositAddresses": lines("listDepositAddresses", "transfer:read_deposit_address", "/v2/transfer/deposit-addresses", "networks=SOLANA&networks=BASE"),
        "listMonitoringAddresses": lines("listMonitoringAddresses", "rewards:read_monitoring_address", "/v2/rewards/monitor/address", "crypto_network=ETHEREUM"),
    }


def version(tool: str) -> str:
    pins = (HERE / "requirements.txt").read_text().splitlines()
    packages = json.loads((HERE / "typescript/package.json").read_text())
    versions = dict(pin.split("==") for pin in pins if "==" in pin)
    return (versions | packages["devDependencies"])[tool]


class Failed(Exception):
    pass


def run(command: str, folder: Path, **variables: str) -> subprocess.CompletedProcess:
    command = ["bash", "-c", command]
    return subprocess.run(command, cwd=folder, env=os.environ | variables, capture_output=True, text=True, timeout=1200)


def sh(command: str, folder: Path) -> None:
    done = run(command, folder)
    if done.returncode != 0:
        raise Failed(f"{command}\n{done.stdout[-2000:]}{done.stderr[-2000:]}")


def succeeds(command: str, folder: Path) -> bool:
    try:
        sh(command, folder)
    except Failed:
        return False
    return True


class Scenes:
    """The scenarios for each recipe's program. A scenario returns its result, or None if the program loses records."""

    def __init__(self, recipe: dict, folder: Path, wanted: dict[str, list[str]]) -> None:
        self.commands = {operation: recipe["run"].replace("{}", Path(program).stem) for operation, program in recipe["programs"].items()}
        self.command, self.folder, self.wanted, self.all_wanted = self.commands[LIST], folder, wanted[LIST], wanted

    def run(self, base_url: str, fault: dict | None = None) -> subprocess.CompletedProcess:
        if fault:
            control("POST", "/faults", {"operation": LIST, "fault": fault})
        try:
            return run(self.command, self.folder, DIGITAL_ASSETS_BASE_URL=base_url)
        finally:
            control("DELETE", "/faults")

    def token(self) -> str | None:
        before = control("GET")["token_requests"]
        self.walk = self.run(env("BASE_URL"))
        count = control("GET")["token_requests"] - before
        return "one" if count == 1 and self.walk.returncode == 0 else None

    def pages(self) -> str | None:
        return "all" if self.walk.returncode == 0 and self.walk.stdout.splitlines() == self.wanted else None

    def others(self) -> str | None:
        """Runs the programs of the other operations. A filter finds nothing if the client joins its two networks."""
        for operation, command in self.commands.items():
            done = run(command, self.folder)
            printed = done.stdout.splitlines()
            if operation in self.all_wanted:
                right = printed == self.all_wanted[operation]
            else:
                right = len(printed) == 1 and printed[0].endswith(f" {env('IDENTITY_ID')}")
            if done.returncode != 0 or not right:
                print(f"{command}: {len(printed)} lines, {done.stdout[-300:]}{done.stderr[-1000:]}")
                return None
        return "both"

    def page(self, new: dict, **more: object) -> tuple[list[str], list[str]]:
        """The lines that the program prints for a page of two records, the first with `new` fields, and the expected lines."""
        records = [EXECUTION | new, EXECUTION]
        body = json.dumps({"items": records, **more})
        done = self.run(os.environ["SANDBOX_URL"], {"kind": "body", "status": 200, "body": body})
        return (done.stdout.splitlines() if done.returncode == 0 else []), [*map(line, records)]

    def digits(self) -> str | None:
        found, expected = self.page(DIGITS)
        return "exact" if found == expected else None

    def value(self) -> str | None:
        found, expected = self.page(MARKET)
        if found == expected:
            return "kept"
        if len(found) != len(expected):
            return None
        stand_in = found[0].split()[1]
        return f"read as `{stand_in}`" if found == [expected[0].replace("NEWUSD", stand_in), expected[1]] else None

    def field(self) -> str | None:
        found, expected = self.page(FIELDS, as_of="2025-06-01T12:00:00Z")
        return "accepted" if found == expected else None

    def refused(self, kind: str, status: str) -> str | None:
        done = self.run(os.environ["SANDBOX_URL"], {"kind": kind})
        if done.returncode == 0:
            return "continues" if done.stdout.splitlines() == self.wanted else None
        return f"stops, reports {status}" if status and status in done.stdout + done.stderr else "stops"

    def too_many(self) -> str | None:
        return self.refused("too_many_requests", "429")

    def unauthorized(self) -> str | None:
        return self.refused("unauthorized", "401")

    def cut(self) -> str | None:
        return self.refused("truncated", "")

    def all(self) -> tuple[list[str], list[str]]:
        scenes = [self.token, self.pages, self.others, self.digits, self.value, self.field, self.too_many, self.unauthorized, self.cut]
        found = {scene.__name__: scene() for scene in scenes}
        return [it or "**fails**" for it in found.values()], [name for name, it in found.items() if it is None]


def outcome(recipe: dict, folder: Path, wanted: dict[str, list[str]]) -> tuple[list[str] | None, list[str]]:
    """The cells of a recipe's row, or None if it can't be run on this machine; and the scenarios that failed."""
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
            return ["generated, not run", "", "", "strings", *[""] * 5], []
        return Scenes(recipe, folder, wanted).all() if here else (None, [])
    except Failed as failure:
        print(failure)
        return ["**no**", *[""] * 8], ["generate and build"]


def main() -> None:
    clients, readme, table = map(Path, sys.argv[1:])
    rows = [row for row in readme.read_text().splitlines() if row.startswith("| [")]
    before = {row.split(" | ")[0]: row for row in rows}
    wanted = expected()
    assert all(len(it) > 100 for it in wanted.values()), {it: len(found) for it, found in wanted.items()}
    text, failures = HEADER, 0
    for recipe in yaml.safe_load((clients / "recipes.yaml").read_text()):
        title = f"| [{recipe['language']}]({recipe['folder']})"
        generator = f"{recipe['tool']} {version(recipe['tool'])}"
        found, wrong = outcome(recipe, clients / recipe["folder"], wanted)
        status = "skipped " if found is None else "FAILED  " if wrong else "ok      "
        detail = ", ".join(wrong or filter(None, found or ["its requirements aren't installed"]))
        print(f"{status} {recipe['language']}, {generator}: {detail}", flush=True)
        failures += bool(wrong)
        know = " ".join(recipe["know"].split())
        row = " | ".join([title, generator, *(found or ["not run", *[""] * 8]), know]) + " |"
        # A recipe that can't run on this machine keeps the row from another machine.
        text += (before.get(title, row) if found is None else row) + "\n"
    table.write_text(text)
    raise SystemExit(failures > 0)


main()
