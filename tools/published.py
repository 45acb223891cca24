"""`published.py DESCRIPTION SERVER AUTH BASE` writes BASE.yaml and BASE.json: the description with the
service's real addresses, and with code samples for renderers (`x-codeSamples`): curl for every
operation, and the recipes' own lines in four languages for the listing that they walk.

`published.py DESCRIPTION BASE` writes both forms of a description as it is. Needs PyYAML.
"""

import json
import sys
import textwrap
from pathlib import Path

import yaml

CLIENTS = Path(__file__).parents[1] / "clients"
WALKED = "listQuoteExecutions"
RECIPES = {
    "TypeScript": "typescript-openapi-fetch/walk.ts",
    "Python": "python-openapi-python-client/walk.py",
    "Java": "java/Walk.java",
    "Go": "go/walk.go",
}
PLACEHOLDER = " The address of the token\nendpoint is not part of this description; the one given here is a placeholder."


class Dumper(yaml.SafeDumper):
    """Texts of several lines stay so, and nothing is written as a reference within YAML."""

    def ignore_aliases(self, data) -> bool:
        return True


Dumper.add_representer(str, lambda dumper, text: dumper.represent_scalar("tag:yaml.org,2002:str", text, style="|" if "\n" in text else None))


def recipe(file: str) -> str:
    """From the line that declares the cursor to the end of the loop over the pages."""
    lines = (CLIENTS / file).read_text().splitlines()
    at = next(number for number, line in enumerate(lines) if "cursor" in line.split("//")[0] and "=" in line or ": string | undefined" in line)
    depth = len(lines[at]) - len(lines[at].lstrip())
    end = next((n for n in range(at, len(lines)) if lines[n].strip() == "}" and len(lines[n]) - 1 < depth), len(lines))
    return textwrap.dedent("\n".join(lines[at:end])).strip() + "\n"


def resolve(document: dict, node: dict) -> dict:
    while "$ref" in node:
        at, node = node["$ref"], document
        for key in at.removeprefix("#/").split("/"):
            node = node[key]
    return node


def curl(document: dict, path: str, method: str, operation: dict) -> str:
    parameters = [resolve(document, it) for it in operation.get("parameters", [])]
    for it in parameters:
        if it["in"] == "path":
            path = path.replace("{" + it["name"] + "}", str(it["example"]))
    lines = ["curl --get" if method == "get" else "curl", f'"$BASE_URL{path}"']
    # One filter and the size of a page show how the others are sent.
    queries = [it for it in parameters if it["in"] == "query" and "cursor" not in it["name"]]
    for it in queries[:1] + [it for it in queries[1:] if it["name"] == "limit"]:
        values = it["example"] if isinstance(it["example"], list) else [it["example"]]
        lines += [f"--data-urlencode '{it['name']}={value}'" for value in values]
    lines.append('--header "Authorization: Bearer $ACCESS_TOKEN"')
    if body := operation.get("requestBody"):
        example = resolve(document, body)["content"]["application/json"]["example"]
        lines += ["--header 'Content-Type: application/json'", f"--data '{json.dumps(example, indent=2)}'"]
    return " \\\n  ".join(lines) + "\n"


def publish(document: dict, server: str, auth: str) -> None:
    document["servers"][0]["variables"]["base_url"]["default"] = server.rstrip("/")
    scheme = document["components"]["securitySchemes"]["oauth2"]
    scheme["flows"]["clientCredentials"]["tokenUrl"] = auth
    assert PLACEHOLDER in scheme["description"], "the text that calls the address a placeholder has changed"
    scheme["description"] = scheme["description"].replace(PLACEHOLDER, "")
    for path, item in document["paths"].items():
        for method, operation in ((it, item[it]) for it in ("get", "put", "post", "delete", "patch") if it in item):
            samples = {"Shell": curl(document, path, method, operation)}
            if operation["operationId"] == WALKED:
                samples |= {language: recipe(file) for language, file in RECIPES.items()}
            labels = {"Shell": "curl"}
            operation["x-codeSamples"] = [{"lang": it, "label": labels.get(it, it), "source": text} for it, text in samples.items()]


def main(description: str, *rest: str) -> None:
    document = yaml.safe_load(Path(description).read_text(encoding="utf-8"))
    if rest[1:]:
        publish(document, *rest[:2])
    base = rest[-1]
    Path(f"{base}.yaml").write_text(yaml.dump(document, Dumper=Dumper, sort_keys=False, allow_unicode=True, width=100), encoding="utf-8")
    Path(f"{base}.json").write_text(json.dumps(document, indent=2, ensure_ascii=False) + "\n", encoding="utf-8")


main(*sys.argv[1:])
