"""`description-diff OLD NEW` lists the changes between two versions of openapi.yaml, and fails if info.version is
too low for them. Breaking changes need a new major version, additions a new minor version, and changed texts a
new patch version. `--page` prints the changes as Markdown instead.

A change is breaking if it breaks existing clients, or existing programs with a newly generated client. The table
in tests/description/changes/ shows the effects of many changes on clients from five generators. Needs PyYAML.
"""

import copy
import sys
from pathlib import Path

import yaml
from description import Description
from operation import Operations
from report import ADDITION, BREAKING, WORDS, Change, rows, table


sys.path.append(str(Path(__file__).parents[1]))
from yaml12 import load  # noqa: E402


class Documents(Operations):
    """Compares two descriptions, including the parts outside operations: servers, security schemes, tags, texts."""

    def all(self) -> list[Change]:
        old, new = self.old.document, self.new.document
        self.all_operations()
        self.all_schemas()
        self.servers(*(side.get("servers") for side in (old, new)))
        self.security_schemes(*(table(side.components.get("securitySchemes")) for side in (self.old, self.new)))
        tags = [{str(table(it).get("name")): table(it) for it in rows(side.get("tags"))} for side in (old, new)]
        for name in {**tags[0], **tags[1]}:
            if name not in tags[0] or name not in tags[1]:
                self.say(WORDS, "tags", f"{name} {'added' if name in tags[1] else 'removed'}")
            else:
                self.others(f"tag {name}", tags[0][name], tags[1][name])
        self.others("info", table(old.get("info")), table(new.get("info")), ["version"])
        self.others("description", old, new, ["info", "paths", "components", "servers", "tags", "security", "x-pagination"])
        # These components are compared at the places that refer to them.
        used = ["schemas", "parameters", "responses", "requestBodies", "headers", "examples", "securitySchemes"]
        self.others("components", self.old.components, self.new.components, used)
        if not self.changes and without_version(old) != without_version(new):
            self.say(WORDS, "description", "is written differently, with the same meaning")
        return sorted(self.changes, key=lambda it: [BREAKING, ADDITION, WORDS].index(it.level))

    def servers(self, was, now) -> None:
        before, after = ({str(table(it).get("url")): table(it) for it in rows(side)} for side in (was, now))
        for url in self.names("servers", "server", before, after, "Send requests to another server."):
            first, second = ({**it, "variables": without_texts(it.get("variables"))} for it in (before[url], after[url]))
            self.others(f"server {url}", first, second)
        first, second = (next(iter(side), None) for side in (before, after))
        if first and second and first != second:
            self.changed(BREAKING, "servers", "first server", first, second, "By default, clients send requests to the first server.")

    def security_schemes(self, was: dict, now: dict) -> None:
        for name in self.names("securitySchemes", "scheme", was, now, "Authorize in another way."):
            first, second = table(was[name]), table(now[name])
            flows = table(first.get("flows")), table(second.get("flows"))
            for flow in self.names(name, "flow", *flows, "Get tokens in another way."):
                ends = table(flows[0][flow]), table(flows[1][flow])
                scopes = [table(end.get("scopes")) for end in ends]
                for scope in self.names(f"{name}, {flow}", "scope", *scopes, "Don't request this scope."):
                    if scopes[0][scope] != scopes[1][scope]:
                        self.say(WORDS, f"{name}, {flow}", f"text of scope {scope} changed")
                # The client credentials flow has no refresh tokens (RFC 6749, section 4.4.3).
                renewal = [end.get("refreshUrl") for end in ends]
                if renewal[0] != renewal[1] and (renewal[0] is None or flow == "clientCredentials"):
                    self.changed(ADDITION, f"{name}, {flow}", "refreshUrl", *renewal)
                    ends = tuple({**end, "refreshUrl": None} for end in ends)
                self.others(f"{name}, {flow}", *ends, ["scopes"])
            self.others(name, first, second, ["flows"])


def read(file: str):
    text = Path(file).read_text(encoding="utf-8")
    try:
        document = load(text)
    except (ValueError, yaml.YAMLError) as error:
        raise ValueError(f"{file}: {error}") from error
    for place in foreign_references(document):
        raise ValueError(f"{file}: {place}: references to other files aren't supported")
    return document


def foreign_references(node, place: str = "#"):
    """Yields the place of each reference to another document."""
    children = node.items() if isinstance(node, dict) else enumerate(node) if isinstance(node, list) else ()
    for key, child in children:
        if key == "$ref" and isinstance(child, str) and not child.startswith("#"):
            yield place
        yield from foreign_references(child, f"{place}/{key}")


def compare(old, new) -> list[Change]:
    return Documents(Description(old), Description(new)).all()


def without_texts(variables) -> dict:
    return {name: {**table(it), "description": None} for name, it in table(variables).items()}


def without_version(document: dict) -> dict:
    document = copy.deepcopy(document)
    table(document.get("info")).pop("version", None)
    return document


def version(document) -> list[int]:
    text = str(table(table(document).get("info")).get("version"))
    numbers = text.split(".")
    if len(numbers) != 3 or not all(it.isdecimal() for it in numbers):
        raise SystemExit(f"info.version `{text}` isn't three numbers")
    return [int(it) for it in numbers]


def version_needed(old, new, changes: list[Change]) -> str | None:
    """Returns a sentence that says which info.version is needed, or None if it is high enough."""
    was, now = version(old), version(new)
    major, minor, patch = was
    least = {BREAKING: [major + 1, 0, 0], ADDITION: [major, minor + 1, 0], WORDS: [major, minor, patch + 1]}
    needed = least[changes[0].level] if changes else was
    text = [".".join(map(str, it)) for it in (now, was, needed)]
    return "info.version is {} (previously {}), but these changes need {} or higher".format(*text) if now < needed else None


def page(changes: list[Change]) -> str:
    """Returns the changes as Markdown, beginning with what consumers must do."""
    parts = {BREAKING: "What you must do", ADDITION: "What is new", WORDS: "Changed texts"}
    text = ""
    for level, title in parts.items():
        lines = [f"- `{it.place}`: {it.what}.{' ' * bool(it.todo)}{it.todo}\n" for it in changes if it.level == level]
        text += f"## {title}\n\n{''.join(lines)}\n" if lines else ""
    if not any(it.level == BREAKING for it in changes):
        works = "clients of the previous version continue to work"
        if any(it.todo for it in changes):
            text = f"{works.capitalize()}. If you generate a new client, see the advice under \"What is new\".\n\n{text}"
        else:
            text = f"You don't need to do anything: {works}.\n\n{text}"
    return text.rstrip("\n") + "\n"


def main(arguments: list[str]) -> int:
    as_page = "--page" in arguments
    files = [it for it in arguments if it != "--page"]
    if len(files) != 2:
        print("usage: description-diff [--page] OLD NEW", file=sys.stderr)
        return 2
    try:
        old, new = map(read, files)
    except (OSError, ValueError, RecursionError, yaml.YAMLError) as error:
        print(f"description-diff: {error}", file=sys.stderr)
        return 2
    changes = compare(old, new)
    if as_page:
        print(page(changes), end="")
        return 0
    for change in changes:
        print(change)
    counts = [sum(it.level == level for it in changes) for level in (BREAKING, ADDITION, WORDS)]
    print("{} breaking changes, {} additions, {} changed texts".format(*counts))
    if needed := version_needed(old, new, changes):
        print(needed)
    return 1 if needed else 0


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
