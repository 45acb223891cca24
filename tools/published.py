"""`published.py DESCRIPTION SERVER AUTH BASE` writes BASE.yaml and BASE.json: the description with the
service's real addresses, and code samples for renderers (`x-codeSamples`). Each sample is a
complete program: a shell script for every operation, and the programs from four recipes.

The service is the only server, and its URL has no variables: some clients choose one of several
servers at random, and some don't replace variables.

`published.py DESCRIPTION BASE` writes an unchanged description in both formats. Needs PyYAML.
"""

import json
import re
import shlex
import sys
from pathlib import Path

import yaml
from yaml12 import load

CLIENTS = Path(__file__).parents[1] / "clients"
RECIPES = ["typescript-openapi-fetch", "python-openapi-python-client", "java", "go"]
# Sentences that are false once the description has the real addresses, and their replacements.
UNSPECIFIED = "The address of the token endpoint is not specified."
SENTENCES = {
    f"{UNSPECIFIED} The address here is a placeholder.": "The token endpoint is `{auth}`.",
    f"{UNSPECIFIED} It is also not specified how": "The token endpoint is `{auth}`. It is not specified how",
}
TOKEN = """\
#!/usr/bin/env bash
# {title}. Needs curl and jq.
set -euo pipefail

token=$(curl --silent --show-error --fail "$DIGITAL_ASSETS_AUTH_URL" \\
  --data grant_type=client_credentials \\
  --data-urlencode "client_id=$DIGITAL_ASSETS_CLIENT_ID" \\
  --data-urlencode "client_secret=$DIGITAL_ASSETS_CLIENT_SECRET" \\
  --data-urlencode "scope={scope}" | jq --raw-output .access_token)

"""
LISTING = """\
cursor=
while true; do
  page=$(curl --silent --show-error --fail --get \\
    "$DIGITAL_ASSETS_BASE_URL{path}" \\
    {filters} \\
    ${{cursor:+--data-urlencode "page_cursor=$cursor"}} \\
    --header "Authorization: Bearer $token")
  jq --compact-output '.{items}[]' <<<"$page"
  cursor=$(jq --raw-output '.next_page_cursor // ""' <<<"$page")
  [ -n "$cursor" ] || break
done
"""
REQUEST = """\
curl --silent --show-error --fail {method}"$DIGITAL_ASSETS_BASE_URL{path}" \\
  {options} \\
  --header "Authorization: Bearer $token"
"""


class Dumper(yaml.SafeDumper):
    """Writes strings with several lines as block scalars, and writes no YAML aliases."""

    def ignore_aliases(self, data) -> bool:
        return True


Dumper.add_representer(str, lambda dumper, text: dumper.represent_scalar("tag:yaml.org,2002:str", text, style="|" if "\n" in text else None))


def resolve(document: dict, node: dict) -> dict:
    while "$ref" in node:
        at, node = node["$ref"], document
        for key in at.removeprefix("#/").split("/"):
            node = node[key.replace("~1", "/").replace("~0", "~")]
    return node


def entries(parameter: dict) -> list:
    example = parameter["example"]
    return example if isinstance(example, list) else [example]


def variable(name: str) -> str:
    """A shell variable for an identifier. The sandbox prints these variables."""
    return "$DIGITAL_ASSETS_" + name.upper()


def items(document: dict, operation: dict) -> str | None:
    """The name of the field that contains a listing's records, or None if the operation isn't a listing."""
    content = resolve(document, operation["responses"]["200"]).get("content", {})
    schema = resolve(document, content.get("application/json", {}).get("schema", {}))
    fields = schema.get("properties", {})
    arrays = [name for name, it in fields.items() if it.get("type") == "array"]
    return arrays[0] if arrays and "next_page_cursor" in fields else None


def example_filter(document: dict, operation: dict) -> list[dict]:
    """The filter for the sample request: preferably an array with several entries, otherwise an enum."""
    parameters = [resolve(document, it) for it in operation.get("parameters", [])]
    queries = [it for it in parameters if it["in"] == "query" and "example" in it]
    several = [it for it in queries if isinstance(it["example"], list) and len(it["example"]) > 1]
    known = [it for it in queries if "enum" in resolve(document, it["schema"])]
    return (several or known or queries)[:1]


def shell(document: dict, path: str, method: str, operation: dict) -> str:
    parameters = [resolve(document, it) for it in operation.get("parameters", [])]
    for it in parameters:
        if it["in"] == "path":
            path = path.replace("{" + it["name"] + "}", variable(it["name"]))
    scope = " ".join(name for way in operation.get("security", []) for named in way.values() for name in named)
    text = TOKEN.format(title=operation["summary"], scope=scope)
    shown = example_filter(document, operation)
    pairs = [f"{it['name']}={value}" for it in shown for value in entries(it)]
    data = [f"--data-urlencode {shlex.quote(pair)}" for pair in pairs]
    if name := items(document, operation):
        return text + LISTING.format(path=path, filters=" \\\n    ".join(data), items=name)
    options = data
    if body := operation.get("requestBody"):
        example = resolve(document, body)["content"]["application/json"]["example"]
        written = re.sub(r'"(\w+_id)": "[^"]*"', lambda it: f'"{it[1]}": "\'"{variable(it[1])}"\'"', json.dumps(example, indent=2))
        options = ["--header 'Content-Type: application/json'", f"--data '{written}'"]
    how = {"get": "--get ", "post": ""}.get(method, f"--request {method.upper()} ")
    return text + REQUEST.format(method=how, path=path, options=" \\\n  ".join(options))


def samples(document: dict, path: str, method: str, operation: dict) -> list[dict]:
    found = [{"lang": "Shell", "label": "curl", "source": shell(document, path, method, operation)}]
    for recipe in load((CLIENTS / "recipes.yaml").read_text(encoding="utf-8")):
        program = recipe.get("programs", {}).get(operation["operationId"])
        if recipe["folder"] in RECIPES and program:
            source = (CLIENTS / recipe["folder"] / program).read_text(encoding="utf-8")
            found.append({"lang": recipe["language"], "label": f"{recipe['language']}, {recipe['tool']}", "source": source})
    return found


def texts(node, change):
    """A copy of the document in which `change` was applied to each string."""
    if isinstance(node, dict):
        return {key: texts(it, change) for key, it in node.items()}
    if isinstance(node, list):
        return [texts(it, change) for it in node]
    return change(node) if isinstance(node, str) else node


def with_address(document: dict, auth: str) -> dict:
    """The document with the token endpoint's address in its texts. A sentence to replace may be wrapped anywhere."""
    known = 0

    def change(text: str) -> str:
        nonlocal known
        for old, new in SENTENCES.items():
            pattern = re.escape(old).replace(r"\ ", r"\s+")
            text, count = re.subn(pattern, lambda _: new.format(auth=auth), text)
            known += count
        assert not re.search(re.escape(UNSPECIFIED).replace(r"\ ", r"\s+"), text), "a sentence about the token endpoint was reworded: update SENTENCES"
        return text

    document = texts(document, change)
    assert known == len(SENTENCES), f"found {known} sentences about the token endpoint, expected {len(SENTENCES)}"
    return document


def publish(document: dict, server: str, auth: str) -> dict:
    document = with_address(document, auth)
    document["servers"] = [{"url": server.rstrip("/"), "description": document["servers"][0]["description"]}]
    document["components"]["securitySchemes"]["oauth2"]["flows"]["clientCredentials"]["tokenUrl"] = auth
    for path, item in document["paths"].items():
        for method, operation in ((it, item[it]) for it in ("get", "put", "post", "delete", "patch") if it in item):
            operation["x-codeSamples"] = samples(document, path, method, operation)
    return document


def main(description: str, *rest: str) -> None:
    document = load(Path(description).read_text(encoding="utf-8"))
    if rest[1:]:
        document = publish(document, *rest[:2])
    base = rest[-1]
    Path(f"{base}.yaml").write_text(yaml.dump(document, Dumper=Dumper, sort_keys=False, allow_unicode=True, width=100), encoding="utf-8")
    Path(f"{base}.json").write_text(json.dumps(document, indent=2, ensure_ascii=False) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main(*sys.argv[1:])
