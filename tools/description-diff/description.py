"""An OpenAPI description in the form in which it is compared: references are resolved, and parameters are in order."""

from report import RECEIVED, SENT, TEXTS, Direction, rows, table

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

    def merged(self, schema: dict, entered: tuple = ()) -> dict:
        """Returns a schema with the keywords of its `allOf`, or as it is if two parts state a keyword differently."""
        whole = {key: it for key, it in schema.items() if key != "allOf"}
        for part in map(self.resolve, rows(schema.get("allOf"))):
            if part in entered:
                return schema
            part = self.merged(part, (*entered, part))
            for key, it in part.items():
                known = whole.get(key)
                if key == "properties" and all(table(known).get(name, other) == other for name, other in table(it).items()):
                    whole[key] = {**table(known), **table(it)}
                elif key == "required":
                    whole[key] = [*rows(known), *(name for name in rows(it) if name not in rows(known))]
                elif whole.setdefault(key, it) != it and key not in TEXTS:
                    return schema
        return whole

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
        self.pagination = table(node["x-pagination"] if "x-pagination" in node else self.rule(description))
        self.path = {key: it for key, it in item.items() if key not in {*METHODS, "parameters", "servers"}}

    def rule(self, description: Description):
        """Returns the first of the description's rules for listings that applies, reduced to the names that the operation has."""

        def sends(name) -> bool:
            return ("query", str(name)) in self.parameters

        def receives(pointer) -> bool:
            content = table(table(self.responses.get("200")).get("content"))
            schema = table(table(content.get("application/json")).get("schema"))
            for key in str(pointer).split("/")[1:]:
                schema = table(description.merged(description.resolve(schema)).get("properties")).get(key)
            return schema is not None

        for rule in map(table, rows(description.document.get("x-pagination"))):
            pointer = rule.get("items" if isinstance(rule.get("next"), dict) else "next")
            if sends(rule.get("cursor")) and receives(pointer):
                has = {"size": sends, "while": receives, "end": receives, "order": lambda it: sends(table(it).get("parameter"))}
                kept = {key: it for key, it in rule.items() if key not in has or has[key](it)}
                alone = [name for name in rows(rule.get("not-with-cursor")) if sends(name)]
                return {**kept, "not-with-cursor": alone} if alone else kept
        return None

    def positions(self) -> list:
        """Returns the parameters in the order of positional arguments: required ones first."""
        return sorted(self.parameters, key=lambda it: not self.parameters[it].get("required"))


def route(key: str) -> str:
    """Returns a method and a path, without the names of the path's parameters."""
    return "{}".join(part.partition("}")[2] or part for part in key.replace("{", "{#").split("{"))
