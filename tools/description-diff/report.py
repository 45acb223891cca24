"""The list of changes, and comparisons that every part of a description uses."""

import json
import re
from typing import NamedTuple

BREAKING, ADDITION, WORDS = "BREAKING", "addition", "words"
TEXTS = {
    *("description", "summary", "example", "examples", "externalDocs", "contact", "license"),
    *("termsOfService", "x-logo", "x-codeSamples", "x-traitTag", "x-tagGroups", "x-displayName"),
    *("x-enum-descriptions", "x-enumDescriptions"),
}
# Extensions that only documentation tools read: Redoc, Redocly, ReadMe, Scalar, Stoplight and Mintlify.
DOCUMENTATION = re.compile(
    "x-(badges|additionalPropertiesName|code-samples|examples|feedbackConfigs|hideReplay|hideTryItPanel|ignoredHeaderParameters"
    "|keywords|meta|seo|summary|usePkce|(mint|readme|redocly|scalar|stoplight)(-.*)?)"
)
# Keywords that describe the service but don't affect generated clients.
BESIDE = {"links", "callbacks"}
# Keywords that are false by default.
FALSE = {"deprecated", "uniqueItems", "readOnly", "writeOnly"}
# What to do about a field whose type changes only in newly generated clients.
OTHER_TYPE = "Clients that were generated earlier continue to work. In a new client, the field has another type if the language has {}."
OPTIONAL_TYPE = OTHER_TYPE.format("a type for optional values, such as Go's pointers or Rust's Option")
NULL_TYPE = OTHER_TYPE.format("a type for null, such as Go's NullableString, Java's JsonNullable or Rust's Option")


class Change(NamedTuple):
    level: str
    place: str
    what: str
    todo: str = ""

    def __str__(self) -> str:
        return f"{self.level:8}  {self.place}: {self.what}"


class Direction(NamedTuple):
    """Whether clients send what a schema describes, receive it, or both."""

    sent: bool
    received: bool

    def narrower(self) -> str:
        """The level of a change that allows less: a client may send a value that is now rejected."""
        return BREAKING if self.sent else ADDITION

    def wider(self) -> str:
        """The level of a change that allows more: a client may receive a value that it doesn't know."""
        return BREAKING if self.received else ADDITION


SENT, RECEIVED = Direction(True, False), Direction(False, True)


def table(value) -> dict:
    return value if isinstance(value, dict) else {}


def rows(value) -> list:
    return value if isinstance(value, list) else []


def write(value) -> str:
    return "none" if value is None else json.dumps(value, ensure_ascii=False, default=str)


def release(version) -> list[str]:
    """Returns an OpenAPI version without its patch number."""
    return str(version).split(".")[:2]


class Report:
    def __init__(self) -> None:
        self.changes: dict[Change, None] = {}

    def say(self, level: str, place: str, what: str, todo: str = "") -> None:
        self.changes[Change(level, place, what, todo)] = None

    def changed(self, level: str, place: str, keyword: str, was, now, todo: str = "") -> None:
        self.say(level, place, f"{keyword} changed from {write(was)} to {write(now)}", todo)

    def names(self, place: str, kind: str, was, now, todo: str) -> list:
        """Reports the names that were added or removed, and returns the names that are in both lists."""
        for name in was:
            if name not in now:
                self.say(BREAKING, place, f"{kind} {name} removed", todo)
        for name in now:
            if name not in was:
                self.say(ADDITION, place, f"{kind} {name} added")
        return [name for name in was if name in now]

    def others(self, place: str, was: dict, now: dict, known=()) -> None:
        """Compares the keywords that aren't in `known`. Unless a keyword is known to be harmless, its change is breaking."""
        for key in sorted({*was, *now} - {*known}, key=str):
            before, after = was.get(key), now.get(key)
            if before == after or (key in FALSE and {repr(before), repr(after)} == {"None", "False"}):
                continue
            if key in TEXTS or DOCUMENTATION.fullmatch(str(key)) or (key == "openapi" and release(before) == release(after)):
                self.say(WORDS, place, f"{key} changed")
            elif key == "deprecated":
                words = "is deprecated" if after else "is no longer deprecated"
                self.say(ADDITION, place, words, "Plan for its removal." if after else "")
            elif key in BESIDE:
                self.say(ADDITION, place, f"{key} changed")
            elif key == "title":
                self.changed(BREAKING, place, key, before, after, "Its type or package may have another name.")
            else:
                self.changed(BREAKING, place, str(key), before, after, "Check what this means for your program.")
