"""`llms.py DESCRIPTION NAME` prints `llms.txt` for a published description: what a language model has to know
of the service before it reads more, and where more is. NAME is what the published files are called.
"""

import re
import sys
from pathlib import Path
from urllib.parse import quote, urlencode

from page import METHODS, slug
from published import entries, example_filter, items, resolve
from yaml12 import load


def line(text: str) -> str:
    return " ".join(text.split())


def request(document: dict, path: str, method: str, operation: dict) -> str:
    """A request that can be sent as it is, with the examples of the description."""
    parameters = [resolve(document, it) for it in operation.get("parameters", [])]
    for it in parameters:
        if it["in"] == "path":
            path = path.replace("{" + it["name"] + "}", quote(str(it["example"])))
    query = urlencode([(it["name"], value) for it in example_filter(document, operation) for value in entries(it)])
    return f"{method.upper()} {path}{'?' if query else ''}{query}"


def main(description: str, name: str) -> None:
    document = load(Path(description).read_text(encoding="utf-8"))
    info, page = document["info"], f"{name}.html"
    first, *rest = info["description"].split("\n\n")
    print(f"# {info['title']} {info['version']}\n\n> {line(first)}\n")
    for point in re.split(r"(?m)^- ", "\n\n".join(it for it in rest if it.startswith("- ")))[1:]:
        print(f"- {line(point)}")
    server = document["servers"][0]["variables"]["base_url"]["default"]
    flow = next(iter(document["components"]["securitySchemes"]["oauth2"]["flows"].values()))
    print(f"- **Addresses**: the base URL is {server}, the token endpoint is {flow['tokenUrl']}.")
    print("- **A POST** may have been applied although it failed. Don't repeat it without a look.")
    print("\n## Operations\n")
    for path, item in document["paths"].items():
        for method in (it for it in METHODS if it in item):
            operation = item[method]
            scopes = " ".join(scope for way in operation["security"] for named in way.values() for scope in named)
            kind = f"a listing: its records are in `{items(document, operation)}`" if items(document, operation) else "one call"
            print(f"- [{operation['summary']}]({page}#{operation['operationId']}): `{request(document, path, method, operation)}`, scope `{scopes}`, {kind}.")
    print("\n## Guide\n")
    for tag in document["tags"]:
        for title in re.findall(r"(?m)^## (.+)$", tag["description"]):
            print(f"- [{title}]({page}#{slug(tag['name'])}-{slug(title)})")
    files = {
        f"{name}.yaml": "The description, OpenAPI 3.0, YAML",
        f"{name}.json": "The same in JSON",
        f"{name}-dereferenced.json": "The same without references",
        f"{name}-openapi-3.1.yaml": "The same in OpenAPI 3.1",
        f"{name}.arazzo.yaml": "Workflows, Arazzo 1.0: walk each listing, and add members",
        page: "The description as one page",
        "clients/README.md": "Clients in other languages: recipes for generators, with programs",
        "CHANGES.md": "What changed, version by version",
    }
    print("\n## Files\n\n" + "\n".join(f"- [{text}]({file})" for file, text in files.items()))


if __name__ == "__main__":
    main(*sys.argv[1:])
