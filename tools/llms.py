"""`llms.py DESCRIPTION NAME` prints llms.txt for a published OpenAPI description: the most important facts for
a language model, and links to the other files. NAME is the published files' name without a suffix.
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
    """Returns a request line with the description's examples as values."""
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
    server = document["servers"][0]["url"]
    flow = next(iter(document["components"]["securitySchemes"]["oauth2"]["flows"].values()))
    print(f"- **Addresses**: the base URL is {server}, the token endpoint is {flow['tokenUrl']}.")
    print("- **A POST** that fails may have been applied. Check whether it was before you send it again.")
    print("\n## Operations\n")
    for path, item in document["paths"].items():
        for method in (it for it in METHODS if it in item):
            operation = item[method]
            scopes = " ".join(scope for way in operation["security"] for named in way.values() for scope in named)
            kind = f"a listing whose records are in `{items(document, operation)}`" if items(document, operation) else "not a listing"
            print(f"- [{operation['summary']}]({page}#{operation['operationId']}): `{request(document, path, method, operation)}`, scope `{scopes}`, {kind}.")
    print("\n## Guide\n")
    for tag in document["tags"]:
        for title in re.findall(r"(?m)^## (.+)$", tag["description"]):
            print(f"- [{title}]({page}#{slug(tag['name'])}-{slug(title)})")
    files = {
        f"{name}.yaml": "The OpenAPI 3.0 description in YAML",
        f"{name}.json": "The OpenAPI 3.0 description in JSON",
        f"{name}-dereferenced.json": "The OpenAPI 3.0 description without references",
        f"{name}-openapi-3.1.yaml": "The description in OpenAPI 3.1",
        f"{name}.arazzo.yaml": "Workflows in Arazzo 1.0 that read each listing and add members",
        page: "The description as an HTML page",
        "clients/README.md": "Recipes for clients in other languages, with example programs",
        "CHANGES.md": "The changes in each version",
    }
    print("\n## Files\n\n" + "\n".join(f"- [{text}]({file})" for file, text in files.items()))


if __name__ == "__main__":
    main(*sys.argv[1:])
