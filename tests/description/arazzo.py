"""`arazzo.py --conditions FILE` evaluates the JSONPath conditions of an Arazzo file with an implementation of RFC 9535,
and checks that its operationIds are plain.
`arazzo.py REDOCLY FILE` runs its workflows against the sandbox with two runners, and counts their requests.
Workflows that need a cursor aren't started, because other workflows call them. TOKEN is an access token with every
scope.
"""

import json
import logging
import os
import subprocess
import sys
import urllib.parse
import urllib.request
from importlib.metadata import version
from pathlib import Path

import jsonpath_rfc9535
import yaml

BASE = os.environ.get("DIGITAL_ASSETS_BASE_URL", "")
# The last members of a page's body, and whether the listing ends there.
CURSORS = [({}, True), ({"next_page_cursor": None}, True), ({"next_page_cursor": ""}, True), ({"next_page_cursor": "c1"}, False)]


def conditions(document: dict) -> list[str]:
    actions = [it for flow in document["workflows"] for step in flow["steps"] for it in step.get("onSuccess", [])]
    criteria = [criterion for action in actions for criterion in action["criteria"]]
    found = {it["condition"] for it in criteria if it.get("type") == "jsonpath"}
    wrong = [] if found else ["no JSONPath condition"]
    # One runner rejects `$sourceDescriptions.NAME.OPERATION`.
    wrong += [step["operationId"] for flow in document["workflows"] for step in flow["steps"] if "$" in step.get("operationId", "")]
    for condition in found:
        for more, ends in CURSORS:
            body = {"total_count": 1, "items": [{"metadata": {"next_page_cursor": "c2"}}]} | more
            # Some runners evaluate the condition on an array that contains the body.
            for root in (body, [body]):
                if bool(jsonpath_rfc9535.find(condition, root)) != ends:
                    wrong.append(f"{condition} on {json.dumps(root)}: expected {ends}")
    return wrong


def get(path: str, token: str = "") -> dict:
    headers = {"Authorization": f"Bearer {token}"} if token else {}
    return json.load(urllib.request.urlopen(urllib.request.Request(BASE + path, headers=headers), timeout=60))


def count(operation: str) -> int:
    return get("/sandbox")["request_counts"].get(operation, 0)


def pages(path: str) -> int:
    """Returns the number of pages of a listing, which are read without a runner."""
    number, cursor = 1, ""
    while cursor := get(path + cursor, os.environ["TOKEN"]).get("next_page_cursor") or "":
        number, cursor = number + 1, "?page_cursor=" + urllib.parse.quote(cursor)
    return number


def redocly(program: str, file: str, workflow: str, inputs: dict) -> bool:
    # A null cursor violates the description, but must end the listing all the same.
    options = ["--workflow", workflow, "--input", json.dumps(inputs), "--severity", "SCHEMA_CHECK=off"]
    return subprocess.run([program, "respect", file, *options], capture_output=True, timeout=120).returncode == 0


def arazzo_runner(_: str, file: str, workflow: str, inputs: dict) -> bool:
    from arazzo_runner import ArazzoRunner

    return ArazzoRunner.from_arazzo_path(file).execute_workflow(workflow, inputs).status.value == "workflow_complete"


def run(program: str, file: str, document: dict) -> list[str]:
    wrong = []
    described = yaml.safe_load((Path(file).parent / document["sourceDescriptions"][0]["url"]).read_text())
    paths = {it["operationId"]: path for path, item in described["paths"].items() for it in item.values()}
    for flow in document["workflows"]:
        name, properties = flow["workflowId"], flow["inputs"]["properties"]
        if "page_cursor" in properties:
            continue
        # A value that the sandbox printed, or else the example.
        given = {it: os.environ.get(f"DIGITAL_ASSETS_{it.upper()}") or (properties[it].get("examples") or [None])[0] for it in flow["inputs"]["required"]}
        given["token"] = os.environ["TOKEN"]
        listing = name.startswith("list")
        expected = pages(paths[name].format(**given)) if listing else 1
        if listing and expected < 3:
            wrong.append(f"{name}: {expected} pages aren't enough")
        # Without a body, the sandbox responds as usual. With one, the first response is this body. One listing is enough,
        # because all of them have the same conditions.
        bodies = [None] + [json.dumps({"addresses": []} | more) for more, ends in CURSORS if ends and name == "listMonitoringAddresses"]
        for runner in (redocly, arazzo_runner):
            for body in bodies:
                if body:
                    fault = {"operation": name, "fault": {"kind": "body", "status": 200, "body": body}}
                    request = urllib.request.Request(f"{BASE}/sandbox/faults", json.dumps(fault).encode(), {"Content-Type": "application/json"})
                    urllib.request.urlopen(request, timeout=60)
                before = count(name)
                passed = runner(program, file, name, given)
                sent = count(name) - before
                if not passed or sent != (1 if body else expected):
                    wrong.append(f"{name}, {runner.__name__}, {body or 'the usual pages'}: passed: {passed}, {sent} requests")
        print(f"{name}: {expected} requests with each runner")
    tested = document["info"]["description"]
    names = [f"Redocly Respect {subprocess.check_output([program, '--version'], text=True).strip()}", f"arazzo-runner {version('arazzo_runner')}"]
    return wrong + [f"the file doesn't say that it was tested with {it}" for it in names if it not in tested]


if __name__ == "__main__":
    logging.disable(logging.CRITICAL)
    mode, file = sys.argv[1:]
    document = yaml.safe_load(Path(file).read_text())
    wrong = conditions(document) if mode == "--conditions" else run(mode, file, document)
    raise SystemExit("\n".join(wrong) or 0)
