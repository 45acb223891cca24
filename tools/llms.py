"""`llms.py DESCRIPTION NAME LLMS GUIDE` writes two files for language models. LLMS has the operations and the schemas
of a published OpenAPI description, and links to the other files. GUIDE has the description's guide in Markdown. NAME
is the published files' name without a suffix.
"""

import json
import re
import sys
from pathlib import Path
from urllib.parse import urlencode

from page import BOUNDS, METHODS
from published import entries, example_filter, items, resolve
from yaml12 import load


def line(text: str) -> str:
    return " ".join(text.split())


def kind(document: dict, schema: dict) -> str:
    """Returns the type of a value: its schema's name, or its JSON type and format, with its bounds."""
    bounds = [f"{key} {json.dumps(schema[key])}" for key in BOUNDS if key in schema]
    if at := schema.get("$ref"):
        name = at.rpartition("/")[2]
    elif schema.get("type") == "array":
        name = f"array of {kind(document, schema['items'])}"
    else:
        name = " ".join([schema["type"], *([f"({schema['format']})"] if "format" in schema else [])])
    return ", ".join([name, *bounds])


def parameter(document: dict, it: dict) -> str:
    needed = "required" if it.get("required") else "optional"
    array = resolve(document, it["schema"]).get("type") == "array"
    # OpenAPI's default for an array in a query is to repeat the parameter.
    style = "" if not array else ", repeated for each entry" if it.get("explode", True) else ", entries joined with commas"
    return f"- `{it['name']}` ({it['in']}, {kind(document, it['schema'])}, {needed}{style}): {line(it['description'])}"


def field(document: dict, name: str, it: dict, required: list[str]) -> str:
    needed = "required" if name in required else "optional"
    return f"- `{name}` ({kind(document, it)}, {needed}): {line(resolve(document, it).get('description', ''))}"


def request(document: dict, path: str, method: str, operation: dict) -> str:
    """Returns a request. Its identifiers are placeholders, so that nobody copies those of the examples."""
    query = urlencode([(it["name"], value) for it in example_filter(document, operation) for value in entries(it)])
    lines = [f"{method.upper()} {path}{'?' if query else ''}{query}", "Authorization: Bearer ACCESS_TOKEN"]
    if body := operation.get("requestBody"):
        kind, content = next(iter(resolve(document, body)["content"].items()))
        written = re.sub(r'"(\w+_id)": "[^"]*"', r'"\1": "{\1}"', json.dumps(content["example"], indent=2))
        lines += [f"Content-Type: {kind}", "", written]
    return "```http\n" + "\n".join(lines) + "\n```\n"


def operation_text(document: dict, path: str, method: str, operation: dict) -> str:
    scopes = " ".join(scope for way in operation["security"] for named in way.values() for scope in named)
    records = items(document, operation)
    text = f"### {operation['operationId']}\n\n{line(operation['description'])}\n\n"
    text += f"`{method.upper()} {path}`, scope `{scopes}`, {f'a listing whose records are in `{records}`' if records else 'not a listing'}.\n\n"
    parameters = [parameter(document, resolve(document, it)) for it in operation.get("parameters", [])]
    text += "".join(f"{it}\n" for it in parameters) + "\n" * bool(parameters)
    bodies = {"Request body": operation.get("requestBody"), "Response": operation["responses"]["200"]}
    for title, body in bodies.items():
        for it in resolve(document, body).get("content", {}).values() if body else []:
            text += f"{title}: {kind(document, it['schema'])}. "
    return f"{text.rstrip()}\n\n{request(document, path, method, operation)}"


def schema_text(document: dict, name: str, schema: dict) -> str:
    known = ", ".join(f"`{it}`" for it in schema.get("enum", []))
    text = f"### {name}\n\n{line(schema.get('description', ''))}{f' Known values: {known}.' if known else ''}\n"
    fields = [field(document, it, child, schema.get("required", [])) for it, child in schema.get("properties", {}).items()]
    return text + ("\n" + "\n".join(fields) + "\n" if fields else "")


def summary(document: dict, name: str) -> str:
    info = document["info"]
    first, *rest = info["description"].split("\n\n")
    points = re.split(r"(?m)^- ", "\n\n".join(it for it in rest if it.startswith("- ")))[1:]
    flow = next(iter(document["components"]["securitySchemes"]["oauth2"]["flows"].values()))
    points += [
        f"**Addresses**: the base URL is {document['servers'][0]['url']}, the token endpoint is {flow['tokenUrl']}.",
        "**A POST** that fails may have been applied. Check whether it was before you send it again.",
    ]
    operations = [
        operation_text(document, path, method, item[method])
        for path, item in document["paths"].items()
        for method in (it for it in METHODS if it in item)
    ]
    schemas = [schema_text(document, it, schema) for it, schema in document["components"]["schemas"].items()]
    files = {
        f"{name}-guide.md": "The guide: " + ", ".join(it for tag in document["tags"] for it in re.findall(r"(?m)^## (.+)$", tag["description"])),
        f"{name}.yaml": "The OpenAPI 3.0 description in YAML",
        f"{name}.json": "The OpenAPI 3.0 description in JSON",
        f"{name}-dereferenced.json": "The OpenAPI 3.0 description without references",
        f"{name}-openapi-3.1.yaml": "The description in OpenAPI 3.1",
        f"{name}.arazzo.yaml": "Workflows in Arazzo 1.0 that read each listing and add members",
        "clients/README.md": "Recipes for clients in other languages, with example programs",
        "CHANGES.md": "The changes in each version",
    }
    parts = [f"# {info['title']} {info['version']}\n\n> {line(first)}\n", "".join(f"- {line(point)}\n" for point in points)]
    parts += ["## Operations\n", *operations, "## Schemas\n", *schemas, "## Files\n"]
    return "\n".join(parts) + "\n" + "".join(f"- [{text}]({file})\n" for file, text in files.items())


def main(description: str, name: str, llms: str, guide: str) -> None:
    document = load(Path(description).read_text(encoding="utf-8"))
    Path(llms).write_text(summary(document, name), encoding="utf-8")
    texts = [it["description"].strip() for it in document["tags"] if re.search("(?m)^## ", it["description"])]
    Path(guide).write_text(f"# Guide to the {document['info']['title']}\n\n" + "\n\n".join(texts) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main(*sys.argv[1:])
