"""Reads the table of changes, and applies the changes to an OpenAPI description."""

import copy
from pathlib import Path

import yaml

HERE = Path(__file__).parent
BASE = yaml.safe_load((HERE / "tickets.yaml").read_text())
GENERATORS = ["openapi-typescript", "openapi-typescript-codegen", "openapi-python-client", "java", "go"]
ANSWERS = {
    "sales": {"items": [{"id": "0c1f4a3e-5b7d-4f5c-8a55-6a1d2b9c7e01", "price": "1.50", "seat_id": "s1", "side": "STALLSRIGHT"}]},
    "desks": {"items": [{"id": "d1", "opened_at": "2025-01-01T00:00:00Z", "memo": "hall", "metadata": {"a": "b"}, "hall": "h1"}]},
    "clerks": {"clerks": [{"name": "Ann", "roles": ["seller"], "id": "c1"}]},
}


def load() -> list[dict]:
    return yaml.safe_load((HERE / "changes.yaml").read_text())


def shortcuts(document: dict) -> dict[str, str]:
    """Maps the short names in edits to JSON pointers. An operation's short name is its operationId."""
    operations = {
        operation["operationId"]: f"/paths/{path.replace('/', '~1')}/{method}"
        for path, item in document.get("paths", {}).items()
        for method, operation in item.items()
        if isinstance(operation, dict) and "operationId" in operation
    }
    return {"schemas": "/components/schemas", "components": "/components"} | operations


def key_of(node, key: str):
    """Returns a key of an object, or an index in a list. `key` can be the index or the element's name."""
    if isinstance(node, dict):
        return key
    if key == "-":
        return len(node)
    called = [it.get("name", it.get("$ref")) if isinstance(it, dict) else it for it in node]
    return called.index(key) if key in called else int(key)


def edit(document, edits: list):
    short = shortcuts(document) if edits else {}
    document = copy.deepcopy(document)
    for verb, place, *value in edits:
        first, _, rest = place.partition("/")
        place = f"{short[first]}/{rest}" if first in short else place if not first else f"/{place}"
        *parents, last = [key.replace("~1", "/").replace("~0", "~") for key in place.split("/")[1:]]
        node = document
        for key in parents:
            node = node[key_of(node, key)]
        last = key_of(node, last)
        if verb == "set":
            node[last] = value[0]
        elif verb == "insert":
            node.insert(last, value[0])
        else:
            gone = node.pop(last)
            if verb == "last":
                node.append(gone) if isinstance(node, list) else node.update({last: gone})
    return document

