"""`published.py DESCRIPTION LLMS` tests a published OpenAPI description against the sandbox. It runs the shell
program of each operation, and sends each request in llms.txt with examples for its placeholders. TOKEN is an access
token with every scope.
"""

import json
import os
import re
import subprocess
import sys
import urllib.parse
import urllib.request
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[2] / "tools"))
from published import entries, example_filter, items, resolve  # noqa: E402
from yaml12 import load  # noqa: E402

BASE = os.environ["DIGITAL_ASSETS_BASE_URL"]


def send(method: str, target: str, body: str = "") -> dict:
    headers = {"Authorization": f"Bearer {os.environ['TOKEN']}", "Content-Type": "application/json"}
    request = urllib.request.Request(BASE + target, body.encode() or None, headers, method=method)
    return json.load(urllib.request.urlopen(request, timeout=60))


def walk(target: str, name: str) -> list[dict]:
    """Returns the expected records of a listing, read without the shell program."""
    found, cursor = [], ""
    while True:
        page = send("GET", target + cursor)
        found += page[name]
        if not page.get("next_page_cursor"):
            return found
        cursor = "&page_cursor=" + urllib.parse.quote(page["next_page_cursor"])


def in_path(document: dict, operation: dict) -> dict[str, str]:
    """Returns the path parameters of an operation, with their examples."""
    parameters = [resolve(document, it) for it in operation.get("parameters", [])]
    return {it["name"]: str(it["example"]) for it in parameters if it["in"] == "path"}


def variables(identifiers: dict[str, str]) -> dict[str, str]:
    """Returns the environment of a program: the variables that the sandbox printed, and examples for the others."""
    return {f"DIGITAL_ASSETS_{name.upper()}": example for name, example in identifiers.items()} | os.environ


def program(document: dict, path: str, operation: dict) -> str | None:
    """Runs the shell program of an operation, and returns what is wrong with its output, or None."""
    source = next(it["source"] for it in operation["x-codeSamples"] if it["lang"] == "Shell")
    identifiers = in_path(document, operation)
    done = subprocess.run(["bash", "-c", source], env=variables(identifiers), capture_output=True, text=True, timeout=600)
    if done.returncode != 0:
        return f"status {done.returncode}: {done.stderr[-500:]}"
    printed = [json.loads(line) for line in done.stdout.splitlines() if line]
    if not (name := items(document, operation)):
        return None if len(printed) == 1 else f"printed {done.stdout[:500]}"
    for parameter in identifiers:
        path = path.replace("{" + parameter + "}", variables(identifiers)[f"DIGITAL_ASSETS_{parameter.upper()}"])
    query = urllib.parse.urlencode([(it["name"], value) for it in example_filter(document, operation) for value in entries(it)])
    wanted = walk(f"{path}?{query}", name)
    if len(wanted) <= 100:
        return f"{len(wanted)} records aren't enough for several pages"
    return None if printed == wanted else f"printed {len(printed)} records, which differ from the {len(wanted)} records of the listing"


def names(node, key: str = ""):
    """Yields the names of all parameters and fields, and all enum values."""
    if isinstance(node, dict):
        yield from node if key == "properties" else [node["name"]] if "in" in node else []
        for key, child in node.items():
            yield from names(child, key)
    elif isinstance(node, list):
        for child in node:
            yield from [child] if key == "enum" else names(child)


def main(description: str, llms: str) -> None:
    document = load(Path(description).read_text(encoding="utf-8"))
    wrong = 0
    text = Path(llms).read_text(encoding="utf-8")
    requests = dict(re.findall(r"(?ms)^### (\w+)\n(?:(?!^###).)*?^```http\n(.*?)\n```$", text))
    wrong += bool(re.search("[0-9a-f]{8}-[0-9a-f]{4}-", text))
    for path, item in document["paths"].items():
        for method, operation in item.items():
            name = operation["operationId"]
            failure = program(document, path, operation)
            print(f"{name}, curl: {failure or 'ok'}")
            wrong += failure is not None
            # If the token request is rejected, the program must not exit with status 0.
            refused = subprocess.run(
                ["bash", "-c", operation["x-codeSamples"][0]["source"]],
                env=variables(in_path(document, operation)) | {"DIGITAL_ASSETS_CLIENT_SECRET": "wrong"}, capture_output=True, timeout=600,
            )  # fmt: skip
            if refused.returncode == 0:
                print(f"{name}, curl: exits with status 0 although its token request was rejected")
                wrong += 1
            known = variables(in_path(document, operation))
            request = re.sub(r"\{(\w+)\}", lambda it: known[f"DIGITAL_ASSETS_{it[1].upper()}"], requests.pop(name))
            head, _, body = request.partition("\n\n")
            send(*head.split("\n")[0].split(" "), body)
    # llms.txt names every parameter, field and enum value.
    missing = [it for it in names(document) if f"`{it}`" not in text]
    if missing:
        print(f"llms.txt lacks {missing}")
    if requests:
        print(f"llms.txt has requests that aren't in the description: {requests}")
    raise SystemExit(bool(wrong or requests or missing))


if __name__ == "__main__":
    main(*sys.argv[1:])
