"""Compares schemas, keyword by keyword."""

import re

from description import Description, schema_name
from report import ADDITION, BREAKING, NULL_TYPE, OPTIONAL_TYPE, OTHER_TYPE, TEXTS, Direction, Report, rows, table, write

UPPER = ["maximum", "maxItems", "maxLength", "maxProperties"]
LOWER = ["minimum", "minItems", "minLength", "minProperties"]
EXCLUSIVE = ["exclusiveMaximum", "exclusiveMinimum"]
# Keywords that describe a place instead of a type, and so are written in an `allOf` beside a reference.
BESIDE_REFERENCE = {"default", "deprecated", "nullable", "readOnly", "writeOnly", *TEXTS}
PARTS = ["items", "additionalProperties", "allOf", "oneOf", "anyOf"]


def named(schema: dict) -> dict:
    """Maps an enum's values to their names in x-enum-varnames."""
    return dict(zip(map(write, rows(schema.get("enum"))), rows(schema.get("x-enum-varnames"))))


def plain(schema):
    """Unwraps a named schema from an `allOf` that only adds to it. Returns the named schema and the additions."""
    parts = rows(table(schema).get("allOf"))
    alone = len(parts) == 1 and schema_name(parts[0]) and {*schema} <= {"allOf", *BESIDE_REFERENCE}
    return (parts[0], {key: it for key, it in schema.items() if key != "allOf"}) if alone else (schema, {})


def identifiers(schema: dict) -> dict:
    """Maps an enum's values to their names in generated code."""
    names = named(schema)
    values = map(write, rows(schema.get("enum")))
    return {it: str(names.get(it) or re.sub(r"\W+", "_", it.strip('"')).upper()) for it in values}


class Schemas(Report):
    def __init__(self, old: Description, new: Description) -> None:
        super().__init__()
        self.old, self.new = old, new
        self.entered: set = set()

    def all_schemas(self) -> None:
        was, now = self.old.schemas, self.new.schemas
        for name in self.names("schemas", "schema", was, now, "Its type is gone: use the type that replaced it."):
            sides = self.old.direction(name), self.new.direction(name)
            sent, received = (any(side) for side in zip(*sides))
            # A schema that no operation uses is still a type in generated clients.
            direction = Direction(sent or not received, received or not sent)
            self.keywords(f"schema {name}", *self.alike(table(was[name]), table(now[name])), direction)

    def schema(self, place: str, was, now, direction: Direction) -> None:
        """Compares the schemas at one place. Named schemas are compared separately, once per name."""
        (was, text), (now, new_text) = plain(was), plain(now)
        if text or new_text:
            self.keywords(place, text, new_text, direction)
        names = schema_name(was), schema_name(now)
        if was == now or (names[0] and names[0] == names[1]) or (place, *names) in self.entered:
            return
        if any(names):
            self.entered.add((place, *names))
        if all(names):
            self.changed(BREAKING, place, "schema", *names, "Use the new type.")
        was, now = self.old.resolve(was) if names[0] else was, self.new.resolve(now) if names[1] else now
        has_type = any(table(side).get("type") == "object" or key in table(side) for side in (was, now) for key in ("enum", "properties"))
        if any(names) and not all(names) and has_type:
            what = f"now has {'the schema ' + names[1] if names[1] else 'a schema without a name'}"
            self.say(BREAKING, place, what, "Its type has another name.")
        if isinstance(was, dict) and isinstance(now, dict):
            self.keywords(place, *self.alike(was, now), direction)
        elif was != now:
            self.changed(BREAKING, place, "schema", was, now, "Regenerate the client.")

    def alike(self, was: dict, now: dict) -> tuple[dict, dict]:
        """Merges the parts of `allOf` if the schemas have different parts, so that a schema can be compared with its parts."""
        parts = [[schema_name(it) for it in rows(side.get("allOf"))] for side in (was, now)]
        return (was, now) if parts[0] == parts[1] else (self.old.merged(was), self.new.merged(now))

    def keywords(self, place: str, was: dict, now: dict, direction: Direction) -> None:
        for keyword in [*UPPER, *LOWER]:
            self.bound(place, keyword, was.get(keyword), now.get(keyword), direction)
        for keyword in EXCLUSIVE:
            self.exclusive(place, keyword, was.get(keyword), now.get(keyword), direction)
        self.enum(place, was, now)
        self.properties(place, was, now, direction)
        if (null := table(now).get("nullable", False)) != was.get("nullable", False):
            handled = direction.received if null else direction.sent
            todo = ("Handle null." if null else "Don't send null.") if handled else NULL_TYPE
            self.say(BREAKING, place, "can now be null" if null else "can no longer be null", todo)
        for keyword in PARTS:
            self.part(f"{place}, {keyword}", keyword, was.get(keyword), now.get(keyword), direction)
        self.open_values(place, *([*map(write, rows(side.get("x-open-values")))] for side in (was, now)))
        compared = ["enum", "x-enum-varnames", "x-open-values", "properties", "required", "nullable"]
        self.others(place, was, now, [*compared, *UPPER, *LOWER, *EXCLUSIVE, *PARTS])

    def open_values(self, place: str, before: list[str], after: list[str]) -> None:
        """Compares the values of records that may still change. A program that follows a listing reads these records again."""
        for value in before:
            if value not in after:
                todo = "Programs that follow a listing no longer notice changes of such records: list the records again."
                self.say(BREAKING, place, f"value {value} is no longer open", todo)
        for value in after:
            if value not in before:
                self.say(ADDITION, place, f"value {value} is now open")

    def bound(self, place: str, keyword: str, was, now, direction: Direction) -> None:
        # No text has fewer than 0 characters, and no array fewer than 0 entries.
        none = float("inf" if keyword in UPPER else "-inf" if keyword == "minimum" else 0)
        try:
            before, after = (none if it is None else float(it) for it in (was, now))
        except (TypeError, ValueError):
            if was != now:
                self.changed(BREAKING, place, keyword, was, now, "Regenerate the client.")
            return
        if before != after:
            self.tightened(place, keyword, was, now, (after < before) == (keyword in UPPER), direction)

    def exclusive(self, place: str, keyword: str, was, now, direction: Direction) -> None:
        if all(isinstance(it, (bool, type(None))) for it in (was, now)):
            if bool(was) != bool(now):
                self.tightened(place, keyword, was, now, bool(now), direction)
        elif was != now:
            self.changed(BREAKING, place, keyword, was, now, "Check the bound.")

    def tightened(self, place: str, keyword: str, was, now, tighter: bool, direction: Direction) -> None:
        todo = "Stay within the new bound." if tighter else "Expect values beyond the old bound."
        level = direction.narrower() if tighter else direction.wider()
        self.changed(level, place, keyword, was, now, todo if level == BREAKING else "")

    def enum(self, place: str, was: dict, now: dict) -> None:
        before, after = (None if "enum" not in it else [*map(write, rows(it["enum"]))] for it in (was, now))
        if (before is None) != (after is None):
            words = "only listed values are now allowed" if before is None else "values are no longer listed"
            return self.say(BREAKING, place, words, "Its type changed: regenerate the client.")
        # A new value breaks no client, because clients accept unknown values.
        self.names(place, "value", before or [], after or [], "Don't use this value.")
        called = identifiers(now)
        for value in after or []:
            other = next((it for it in called if it != value and called[it] == called[value]), None)
            if other and value not in (before or []):
                self.say(BREAKING, place, f"values {value} and {other} are both named {called[value]}", "Don't generate a client from this version: the names collide.")
        counts, names = (len(rows(now.get("x-enum-varnames"))), len(after or [])), named(now)
        if counts[0] not in (0, counts[1]):
            if [before, was.get("x-enum-varnames")] != [after, now.get("x-enum-varnames")]:
                what = "x-enum-varnames has {} names for {} values".format(*counts)
                self.say(BREAKING, place, what, "Don't generate a client from this version: values may get other values' names.")
            return
        for value, name in named(was).items():
            if value in (after or []) and names.get(value) != name:
                todo = "Use the new name in code."
                self.say(BREAKING, place, f"name of value {value} changed from {name} to {names.get(value, 'none')}", todo)
        for value, name in names.items():
            if value in (before or []) and value not in named(was):
                self.say(BREAKING, place, f"name of value {value} changed from none to {name}", "Use the new name in code.")

    def properties(self, place: str, was: dict, now: dict, direction: Direction) -> None:
        before, after = table(was.get("properties")), table(now.get("properties"))
        required, needs = ([str(it) for it in rows(side.get("required"))] for side in (was, now))
        for name in self.names(place, "field", before, after, "Stop using this field."):
            self.schema(f"{place}, field {name}", before[name], after[name], direction)
            least = [table(description.resolve(it)).get("minItems") or 0 for description, it in ((self.old, before[name]), (self.new, after[name]))]
            if direction.sent and name not in needs and least[0] != 0 and least[1] == 0:
                # If an array can't be empty, our crate omits an empty Vec. Otherwise, it has to distinguish empty from absent.
                todo = OTHER_TYPE.format("a type that distinguishes an empty array from an absent one, such as Rust's Option")
                self.say(BREAKING, place, f"field {name} can now be an empty array", todo)
        for name in needs:
            if name not in required:
                # A field that the old version doesn't have is reported as added.
                level = BREAKING if name in before else direction.narrower()
                todo = "Send this field." if direction.sent else OPTIONAL_TYPE if name in before else ""
                self.say(level, place, f"field {name} is now required", todo)
        for name in required:
            if name not in needs and (name in after or name not in before):
                todo = "Handle its absence." if direction.received else OPTIONAL_TYPE
                self.say(BREAKING, place, f"field {name} is no longer required", todo)
        if direction.sent:
            self.order(place, [it for it in before if it in after], [*after], needs)

    def order(self, place: str, common: list, after: list, required: list) -> None:
        """Compares the order of a request's fields, which is the order of positional arguments in constructors."""
        rest = [it for it in after if it in common]
        if rest != common:
            todo = "If arguments are positional, reorder them: the old order may still compile."
            self.say(BREAKING, place, f"field order changed from {', '.join(common)} to {', '.join(rest)}", todo)
        for at, name in enumerate(after):
            followers = [it for it in after[at + 1 :] if it in common and (it in required) == (name in required)]
            if name not in common and followers:
                todo = "If arguments are positional, check each constructor call."
                self.say(BREAKING, place, f"new field {name} is before {followers[0]}", todo)

    def part(self, place: str, keyword: str, was, now, direction: Direction) -> None:
        if keyword == "additionalProperties":
            was, now = (True if it == {} else it for it in (was, now))
            # The default is true. If true is stated, some clients keep unknown fields.
            if was in (None, True) and now in (None, True):
                # Without additionalProperties, Go clients reject a response that has an unknown field.
                breaks = direction.received and now is None
                if was != now:
                    self.changed(BREAKING if breaks else ADDITION, place, keyword, was, now, "Accept unknown fields." if breaks else "")
                return
            # At least one side isn't a schema, so there are no two schemas to compare.
            if not all(isinstance(it, dict) for it in (was, now)):
                return self.changed(BREAKING, place, keyword, was, now, "Regenerate the client.")
        if isinstance(was, list) and isinstance(now, list) and len(was) == len(now):
            for at, pair in enumerate(zip(was, now)):
                self.schema(f"{place} {at}", *pair, direction)
        else:
            self.schema(place, was, now, direction)
