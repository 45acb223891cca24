"""`arazzo.py DESCRIPTION URL FILE` writes an Arazzo file for an OpenAPI description. Each listing has a workflow
that reads it page by page, and each other operation has a workflow that calls it. URL is the description's
location, relative to FILE. Needs PyYAML.
"""

import sys
from pathlib import Path

import yaml
from published import Dumper, items, resolve
from yaml12 import load

TOKEN = {"type": "string", "format": "password", "description": "An access token with the scope of the operation."}
CURSOR = {"type": "string", "description": "The `next_page_cursor` of the previous page."}
# True if the cursor is absent, null or empty. RFC 9535 applies a filter to the children of the body, so the condition
# uses the root. Some runners put the body into an array first, and apply the filter to the body itself.
LAST = "$[?!($.next_page_cursor > '' || $[?@.next_page_cursor > ''])]"
TESTED = "Redocly Respect 2.77.0 and arazzo-runner 0.9.6"


def inputs(fields: dict) -> dict:
    return {"type": "object", "required": [*fields], "properties": fields}


def identifier(parameter: dict) -> dict:
    return {"type": "string", "description": parameter["description"], "examples": [parameter["example"]]}


def step(name: str, operation: dict, parameters: list[dict], **more) -> dict:
    authorization = {"name": "Authorization", "in": "header", "value": "Bearer {$inputs.token}"}
    return {
        "stepId": name,
        "operationId": operation["operationId"],
        "parameters": [authorization, *parameters],
        **more,
        "successCriteria": [{"condition": "$statusCode == 200"}],
    }


def walk(document: dict, operation: dict, records: str) -> list[dict]:
    """Two workflows: one requests the first page, the other requests the next pages by calling itself with each cursor."""
    name, listed = operation["operationId"], {}
    for it in (resolve(document, it) for it in operation.get("parameters", [])):
        if it.get("required"):
            listed[it["name"]] = (it["in"], identifier(it))
    fields = {"token": TOKEN} | {it: schema for it, (_, schema) in listed.items()}
    given = [{"name": it, "in": place, "value": f"$inputs.{it}"} for it, (place, _) in listed.items()]
    rest = "continue" + name.removeprefix("list")

    def page(step_name: str, parameters: list[dict]) -> list[dict]:
        last = {"context": "$response.body", "condition": LAST, "type": "jsonpath"}
        # For runners without JSONPath, or without `$response` in an action.
        output = f"$steps.{step_name}.outputs.page.next_page_cursor"
        same = {"condition": f"{output} == null || {output} == ''"}
        one = step(step_name, operation, parameters, description=f"Requests one page. Its records are in {records}.")
        one["outputs"] = {"page": "$response.body"}
        one["onSuccess"] = [{"name": name, "type": "end", "criteria": [it]} for name, it in (("last", last), ("lastOutput", same))]
        cursor = {"name": "page_cursor", "value": f"$steps.{step_name}.outputs.page.next_page_cursor"}
        passed = [{"name": it, "value": f"$inputs.{it}"} for it in fields]
        return [one, {"stepId": "nextPages", "description": "Requests the next pages.", "workflowId": rest, "parameters": [*passed, cursor]}]

    cursor = {"name": "page_cursor", "in": "query", "value": "$inputs.page_cursor"}
    return [
        {
            "workflowId": name,
            "summary": f"{operation['summary']}, from the first page to the last",
            "description": "The last page is the one whose cursor is absent, null or empty. A short or empty page with a cursor is not the last page.",
            "inputs": inputs(fields),
            "steps": page("firstPage", given),
        },
        {
            "workflowId": rest,
            "summary": f"{operation['summary']}, from a cursor to the last page",
            "description": "Send the cursor unchanged, together with the same filters as for the first page.",
            "inputs": inputs(fields | {"page_cursor": CURSOR}),
            "steps": page("page", [*given, cursor]),
        },
    ]


def call(document: dict, operation: dict) -> list[dict]:
    fields, more = {"token": TOKEN}, {}
    if body := operation.get("requestBody"):
        content = resolve(document, body)["content"]["application/json"]
        schema = resolve(document, content["schema"])
        for name, it in ((name, resolve(document, it)) for name, it in schema["properties"].items()):
            fields[name] = {key: it[key] for key in ("type", "minItems", "description") if key in it}
            if name in content["example"]:
                fields[name]["examples"] = [content["example"][name]]
        more["requestBody"] = {"contentType": "application/json", "payload": {name: f"$inputs.{name}" for name in schema["properties"]}}
    fields |= {
        it["name"]: identifier(it)
        for it in (resolve(document, it) for it in operation.get("parameters", []))
        if it.get("required")
    }
    given = [{"name": it["name"], "in": it["in"], "value": f"$inputs.{it['name']}"} for it in (resolve(document, it) for it in operation.get("parameters", [])) if it.get("required")]
    one = step(operation["operationId"], operation, given, description=operation["summary"], **more)
    one["outputs"] = {"response": "$response.body"}
    text = "After a timeout or a 5xx, the request may have been applied. Check whether it was before you send it again." if more else operation["summary"]
    workflow = {"workflowId": operation["operationId"], "summary": operation["summary"], "description": text, "inputs": inputs(fields), "steps": [one]}
    return [workflow | {"outputs": {"response": f"$steps.{operation['operationId']}.outputs.response"}}]


def main(description: str, url: str, file: str) -> None:
    document = load(Path(description).read_text(encoding="utf-8"))
    workflows = []
    for item in document["paths"].values():
        for operation in (item[it] for it in ("get", "put", "post", "delete", "patch") if it in item):
            records = items(document, operation)
            workflows += walk(document, operation, records) if records else call(document, operation)
    arazzo = {
        "arazzo": "1.0.1",
        "info": {
            "title": f"Workflows for the {document['info']['title']}",
            "version": document["info"]["version"],
            "summary": "Read each listing to its end, and call the other operations.",
            "description": f"Tested with these runners: {TESTED}. Another runner may not evaluate the conditions that end a listing.",
        },
        "sourceDescriptions": [{"name": "service", "url": url, "type": "openapi"}],
        "workflows": workflows,
    }
    Path(file).write_text(yaml.dump(arazzo, Dumper=Dumper, sort_keys=False, allow_unicode=True, width=100), encoding="utf-8")


if __name__ == "__main__":
    main(*sys.argv[1:])
