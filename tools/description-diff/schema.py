"""Schemas, keyword by keyword."""

import re

from description import Description, schema_name
from report import ADDITION, BREAKING, TEXTS, WORDS, Direction, Report, rows, table, write

UPPER = ["maximum", "maxItems", "maxLength", "maxProperties"]
LOWER = ["minimum", "minItems", "minLength", "minProperties"]
PARTS = ["items", "additionalProperties", "allOf", "oneOf", "anyOf"]


def named(schema: dict) -> dict:
    """An enum's values with their names, which stand beside them in a list of their own."""
    return dict(zip(map(write, rows(schema.get("enum"))), rows(schema.get("x-enum-varnames"))))


def plain(schema):
    """A schema without the `allOf` around it that only adds texts."""
    parts = rows(table(schema).get("allOf"))
    alone = len(parts) == 1 and isinstance(parts[0], dict) and {*schema} <= {"allOf", *TEXTS}
    return (parts[0], {key: it for key, it in schema.items() if key != "allOf"}) if alone else (schema, {})


def identifiers(schema: dict) -> dict:
    """What the values of an enum are called in code."""
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
        for name in self.names("schemas", "schema", was, now, "Its type is gone: use the one that took its place."):
            sides = self.old.direction(name), self.new.direction(name)
            sent, received = (any(side) for side in zip(*sides))
            # What nothing leads to is a type in clients all the same.
            direction = Direction(sent or not received, received or not sent)
            self.keywords(f"schema {name}", table(was[name]), table(now[name]), direction)

    def schema(self, place: str, was, now, direction: Direction) -> None:
        """What stands at one place. Schemas with names are compared once, by their names."""
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
            what = f"is now {'of the schema ' + names[1] if names[1] else 'a schema without a name'}"
            self.say(BREAKING, place, what, "Its type has another name.")
        if isinstance(was, dict) and isinstance(now, dict):
            self.keywords(place, was, now, direction)
        elif was != now:
            self.changed(BREAKING, place, "schema", was, now, "Generate the client anew.")

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
            # Which records may still change: it steers who looks again, and is in no type.
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
        self.changed(level, place, keyword, was, now, "Stay within it." if tighter and direction.sent else "")

    def enum(self, place: str, was: dict, now: dict) -> None:
        before, after = (None if "enum" not in it else [*map(write, rows(it["enum"]))] for it in (was, now))
        if (before is None) != (after is None):
            words = "only listed values are now allowed" if before is None else "values are no longer listed"
            return self.say(BREAKING, place, words, "Its type is another: generate the client anew.")
        # Clients keep values that they don't know, so a new one breaks none.
        self.names(place, "value", before or [], after or [], "Don't use it.")
        called = identifiers(now)
        for value in after or []:
            other = next((it for it in called if it != value and called[it] == called[value]), None)
            if other and value not in (before or []):
                self.say(BREAKING, place, f"value {value} is named {called[value]}, as {other} is", "Don't generate from it: the names collide.")
        names = named(now)
        for value, name in named(was).items():
            if value in (after or []) and names.get(value) != name:
                todo = "Use the new name in code."
                self.say(BREAKING, place, f"value {value} was named {name}, is {names.get(value, 'unnamed')}", todo)
        for value, name in names.items():
            if value in (before or []) and value not in named(was):
                self.say(BREAKING, place, f"value {value} was unnamed, is {name}", "Use the new name in code.")

    def properties(self, place: str, was: dict, now: dict, direction: Direction) -> None:
        before, after = table(was.get("properties")), table(now.get("properties"))
        required, needs = ([str(it) for it in rows(side.get("required"))] for side in (was, now))
        for name in self.names(place, "field", before, after, "Stop using it."):
            self.schema(f"{place}, field {name}", before[name], after[name], direction)
            null = [table(side[name]).get("nullable", False) for side in (before, after)]
            if direction.sent and name in required and name in needs and null == [False, True]:
                self.say(BREAKING, place, f"field {name} can now be null", "Where it has a type of its own for that, use it.")
        for name in needs:
            if name not in required:
                todo = "Send it." if direction.sent else ""
                self.say(direction.narrower(), place, f"field {name} is now required", todo)
        for name in required:
            if name not in needs and (name in after or name not in before):
                todo = "Expect it to be absent." if direction.received else ""
                self.say(direction.wider(), place, f"field {name} is no longer required", todo)
        if direction.sent:
            self.order(place, [it for it in before if it in after], [*after], needs)

    def order(self, place: str, common: list, after: list, required: list) -> None:
        """The order in which constructors take the fields of a request by position."""
        rest = [it for it in after if it in common]
        if rest != common:
            todo = "Where arguments are given by position, swap them: it compiles with the old order."
            self.say(BREAKING, place, f"fields were in the order {', '.join(common)}, are in {', '.join(rest)}", todo)
        for at, name in enumerate(after):
            followers = [it for it in after[at + 1 :] if it in common and (it in required) == (name in required)]
            if name not in common and followers:
                todo = "Where arguments are given by position, give them anew."
                self.say(BREAKING, place, f"field {name} stands before {followers[0]}", todo)

    def part(self, place: str, keyword: str, was, now, direction: Direction) -> None:
        if keyword == "additionalProperties":
            # Left out, it is true. With true, some clients keep what they don't know.
            if was in (None, True) and now in (None, True):
                # Without it, Go rejects a response with a field that it doesn't know.
                breaks = direction.received and now is None
                if was != now:
                    self.changed(BREAKING if breaks else ADDITION, place, keyword, was, now, "Accept unknown fields." if breaks else "")
                return
            # A schema beside true or false: there are no two schemas to compare.
            if not all(isinstance(it, dict) for it in (was, now)):
                return self.changed(BREAKING, place, keyword, was, now, "Generate the client anew.")
        if isinstance(was, list) and isinstance(now, list) and len(was) == len(now):
            for at, pair in enumerate(zip(was, now)):
                self.schema(f"{place} {at}", *pair, direction)
        else:
            self.schema(place, was, now, direction)
