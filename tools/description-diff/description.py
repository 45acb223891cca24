"""An OpenAPI description in the form in which it is compared: references are resolved, and parameters are in order."""

from report import RECEIVED, SENT, Direction, rows, table

METHODS = ["get", "put", "post", "delete", "options", "head", "patch", "trace"]


def schema_name(node) -> str | None:
    at = table(node).get("$ref")
    return at.rpartition("/")[2] if isinstance(at, str) and "/schemas/" in at else None


class Description:
    def __init__(self, document) -> None:
        self.document = table(document)
        self.components = table(self.document.get("components"))
        self.schemas = table(self.components.get("schemas"))
        self.operations = {
            f"{method.upper()} {path}": Operation(self, table(item), table(item[method]))
            for path, item in table(self.document.get("paths")).items()
            for method in METHODS
            if method in table(item)
        }
        self.sent, self.received = set(), set()
        for operation in self.operations.values():
            self.reach([*operation.parameters.values(), operation.body], self.sent)
            self.reach(operation.responses, self.received)

    def resolve(self, node) -> dict:
        seen = set()
        while isinstance(at := table(node).get("$ref"), str) and at not in seen:
            seen.add(at)
            node = self.document
            for key in at.removeprefix("#/").split("/"):
                node = table(node).get(key.replace("~1", "/").replace("~0", "~"))
        return table(node)

    def reach(self, node, references: set) -> None:
        """Collects the references that a request or response contains, directly or indirectly."""
        if isinstance(node, list):
            for child in node:
                self.reach(child, references)
        if isinstance(node, dict):
            at = node.get("$ref")
            if isinstance(at, str) and at not in references:
                references.add(at)
                self.reach(self.resolve(node), references)
            for child in node.values():
                self.reach(child, references)

    def direction(self, name: str) -> Direction:
        at = f"#/components/schemas/{name}"
        return Direction(at in self.sent, at in self.received)


class Operation:
    def __init__(self, description: Description, item: dict, node: dict) -> None:
        listed = [*rows(item.get("parameters")), *rows(node.get("parameters"))]
        resolved = [description.resolve(it) for it in listed]
        # An operation's own parameter replaces its path's parameter with the same name.
        self.parameters = {(str(it.get("in")), str(it.get("name"))): it for it in resolved}
        self.body = description.resolve(node.get("requestBody"))
        responses = table(node.get("responses"))
        self.responses = {str(code): description.resolve(it) for code, it in responses.items()}
        self.security = rows(node.get("security", description.document.get("security")))
        self.tags = [str(tag) for tag in rows(node.get("tags"))]
        self.rest = {"servers": item.get("servers"), **node}
        self.path = {key: it for key, it in item.items() if key not in {*METHODS, "parameters", "servers"}}

    def positions(self) -> list:
        """Returns the parameters in the order of positional arguments: required ones first."""
        return sorted(self.parameters, key=lambda it: not self.parameters[it].get("required"))


def route(key: str) -> str:
    """Returns a method and a path, without the names of the path's parameters."""
    return "{}".join(part.partition("}")[2] or part for part in key.replace("{", "{#").split("{"))
