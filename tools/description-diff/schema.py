"""Compares schemas, keyword by keyword."""

import re

from description import Description, schema_name
from report import ADDITION, BREAKING, TEXTS, WORDS, Direction, Report, rows, table, write

UPPER = ["maximum", "maxItems", "maxLength", "maxProperties"]
LOWER = ["minimum", "minItems", "minLength", "minProperties"]
PARTS = ["items", "additionalProperties", "allOf", "oneOf", "anyOf"]


def named(schema: dict) -> dict:
    """Maps an enum's values to their names in x-enum-varnames."""
    return dict(zip(map(write, rows(schema.get("enum"))), rows(schema.get("x-enum-varnames"))))


def plain(schema):
    """Unwraps a schema from an `allOf` that only adds texts. Returns the schema and those texts."""
    parts = rows(table(schema).get("allOf"))
    alone = len(parts) == 1 and isinstance(parts[0], dict) and {*schema} <= {"allOf", *TEXTS}
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
            self.keywords(f"schema {name}", table(was[name]), table(now[name]), direction)

    def schema(self, place: str, was, now, direction: Direction) -> None:
        """Compares the schemas at one place. Named schemas are compared separately, once per name."""
        (was, text), (now, new_text) = plain(was), plain(now)
        if text or new_text:
            self.others(place, text, new_text)
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
            self.keywords(place, was, now, direction)
        elif was != now:
            self.changed(BREAKING, place, "schema", was, now, "Regenerate the client.")

    def keywords(self, place: str, was: dict, now: dict, direction: Direction) -> None:
        for keyword in [*UPPER, *LOWER]:
            self.bound(place, keyword, was.get(keyword), now.get(keyword), direction)
        self.enum(place, was, now)
        self.properties(place, was, now, direction)
        if (null := table(now).get("nullable", False)) != was.get("nullable", False):
            level = direction.wider() if null else direction.narrower()
            todo = "Handle null." if direction.received else "Don't send null."
            self.say(level, place, "can now be null" if null else "can no longer be null", todo)
        for keyword in PARTS:
            self.part(f"{place}, {keyword}", keyword, was.get(keyword), now.get(keyword), direction)
        if was.get("x-open-values") != now.get("x-open-values"):
            # These values say which records may still change. They affect no generated type.
            self.changed(ADDITION, place, "x-open-values", was.get("x-open-values"), now.get("x-open-values"))
        compared = ["enum", "x-enum-varnames", "x-open-values", "properties", "required", "nullable"]
        self.others(place, was, now, [*compared, *UPPER, *LOWER, *PARTS])

    def bound(self, place: str, keyword: str, was, now, direction: Direction) -> None:
        if was == now:
            return
        none = float("-inf" if keyword in LOWER else "inf")
        try:
            before, after = (none if it is None else float(it) for it in (was, now))
        except (TypeError, ValueError):
            return self.changed(BREAKING, place, keyword, was, now)
        tighter = after > before if keyword in LOWER else after < before
        level = direction.narrower() if tighter else direction.wider()
        self.changed(level, place, keyword, was, now, "Stay within the new bound." if tighter and direction.sent else "")

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
        names = named(now)
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
            null = [table(side[name]).get("nullable", False) for side in (before, after)]
            if direction.sent and name in required and name in needs and null == [False, True]:
                self.say(BREAKING, place, f"field {name} can now be null", "If the client has a special type for such a field, use it.")
        for name in needs:
            if name not in required:
                todo = "Send this field." if direction.sent else ""
                self.say(direction.narrower(), place, f"field {name} is now required", todo)
        for name in required:
            if name not in needs and (name in after or name not in before):
                todo = "Handle its absence." if direction.received else ""
                self.say(direction.wider(), place, f"field {name} is no longer required", todo)
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
