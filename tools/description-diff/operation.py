"""Compares operations: their parameters, bodies, responses and security."""

from description import Description, Operation, route
from report import ADDITION, BREAKING, RECEIVED, SENT, TEXTS, WORDS, Direction, rows, table, write
from schema import Schemas

HOW = ["style", "explode", "allowReserved", "allowEmptyValue"]
BY_POSITION = "If arguments are positional, check each call: it may compile and send a different request."


def success(code: str) -> bool:
    return code.startswith("2")


def is_scalar(description: Description, parameter: dict) -> bool:
    return description.resolve(parameter.get("schema")).get("type") in ("string", "integer", "number", "boolean")


def form(operation: Operation) -> str:
    """Returns the parts that stay the same if only an operation's path and name change."""
    rest = {key: it for key, it in operation.rest.items() if key not in {*TEXTS, "operationId", "parameters"}}
    return write([list(operation.parameters.values()), rest])


class Operations(Schemas):
    def all_operations(self) -> None:
        was, now = self.old.operations, self.new.operations
        fresh = {key: it for key, it in now.items() if key not in was}
        for key, operation in was.items():
            name = operation.rest.get("operationId", key)
            if key in now:
                self.operation(key, operation, now[key])
            elif moved := self.moved(key, operation, fresh):
                it = fresh.pop(moved)
                new_name = it.rest.get("operationId", moved)
                if route(moved) == route(key):
                    todo = "Use the parameters' new names."
                elif new_name == name:
                    todo = "Regenerate the client: the old path is gone."
                else:
                    todo = f"Call {new_name} instead."
                self.say(BREAKING, key, f"is now {moved}{f', {new_name}' * (new_name != name)}", todo)
                if route(moved) != route(key):
                    self.operation(moved, operation, it)
            else:
                self.say(BREAKING, key, f"operation {name} removed", "Stop calling it.")
        for key, operation in fresh.items():
            self.say(ADDITION, key, f"operation {operation.rest.get('operationId', key)} added")

    def moved(self, key: str, operation: Operation, fresh: dict) -> str | None:
        """Finds the new key of a moved operation, by its route, its name, or its other contents."""
        method, name = key.split()[0], operation.rest.get("operationId")
        same = [
            lambda other, it: route(other) == route(key),
            lambda other, it: name is not None and it.rest.get("operationId") == name,
            lambda other, it: other.split()[0] == method and form(it) == form(operation),
        ]
        for is_it in same:
            for other, it in fresh.items():
                if is_it(other, it):
                    return other
        return None

    def operation(self, place: str, was: Operation, now: Operation) -> None:
        names = (side.rest.get("operationId") for side in (was, now))
        # With a second tag, the operation is generated in two modules, which Go doesn't compile.
        for keyword, before, after in (("operationId", *names), ("tags", was.tags, now.tags)):
            if before != after:
                self.changed(BREAKING, place, keyword, before, after, "Its method or module has another name.")
        self.security(place, was.security, now.security)
        self.parameters(place, was, now)
        self.pagination(place, was.pagination, now.pagination)
        self.body(place, was.body, now.body)
        self.responses(place, was.responses, now.responses)
        self.others(place, was.path, now.path)
        repeatable = [side.rest.get("x-idempotent") is True for side in (was, now)]
        if repeatable == [False, True]:
            self.say(ADDITION, place, "can now be repeated without a further effect")
        elif repeatable == [True, False]:
            self.say(BREAKING, place, "can no longer be repeated without a further effect", "Don't repeat a request that may have been applied.")
        known = ["operationId", "tags", "security", "parameters", "requestBody", "responses", "x-idempotent", "x-pagination"]
        self.others(place, was.rest, now.rest, known)

    def security(self, place: str, was: list, now: list) -> None:
        """Compares security requirements. Each old alternative must still satisfy one of the new alternatives."""

        def enough(given: dict, needed: dict) -> bool:
            scopes = lambda it, name: {*map(write, rows(it.get(name)))}
            return all(name in given and scopes(needed, name) <= scopes(given, name) for name in needed)

        if was != now:
            before, after = ([table(it) for it in side] or [{}] for side in (was, now))
            kept = all(any(enough(given, needed) for needed in after) for given in before)
            todo = "" if kept else "Request a token that satisfies the new requirement."
            self.changed(ADDITION if kept else BREAKING, place, "security", was, now, todo)

    def parameters(self, place: str, was: Operation, now: Operation) -> None:
        before, after = was.positions(), now.positions()
        for it in before:
            if it in now.parameters:
                self.parameter(f"{place}, parameter {it[1]}", was.parameters[it], now.parameters[it])
            else:
                self.say(BREAKING, place, f"parameter {it[1]} removed", "Stop setting it.")
        for at, it in enumerate(after):
            if it in was.parameters:
                continue
            followers = [other[1] for other in after[at + 1 :] if other in was.parameters]
            if now.parameters[it].get("required"):
                self.say(BREAKING, place, f"required parameter {it[1]} added", "Set it in every call.")
            elif followers:
                self.say(BREAKING, place, f"parameter {it[1]} added before {followers[0]}", BY_POSITION)
            else:
                todo = "If all arguments are mandatory, as in Java, pass one more."
                self.say(ADDITION, place, f"optional parameter {it[1]} added", todo)
        orders = [it[1] for it in before if it in now.parameters], [it[1] for it in after if it in was.parameters]
        if orders[0] != orders[1]:
            what = "parameter order changed from {} to {}".format(*map(", ".join, orders))
            self.say(BREAKING, place, what, BY_POSITION)

    def parameter(self, place: str, was: dict, now: dict) -> None:
        self.required(place, was, now, "Set it in every call.")
        usual = {"style": "form" if was.get("in") in ("query", "cookie") else "simple"}
        how = []
        for side in ({**usual, **was}, {**usual, **now}):
            how.append({"explode": side["style"] == "form", "allowReserved": False, "allowEmptyValue": False, **side})
        scalar = all(is_scalar(side, it) for side, it in ((self.old, was), (self.new, now)))
        for keyword in HOW:
            if how[0][keyword] != how[1][keyword] and keyword == "explode" and scalar:
                self.say(WORDS, place, "explode changed")
            elif how[0][keyword] != how[1][keyword]:
                todo = "Regenerate the client: the parameter is sent differently."
                allowed = keyword == "allowEmptyValue" and how[1][keyword] is True
                self.changed(ADDITION if allowed else BREAKING, place, keyword, how[0][keyword], how[1][keyword], "" if allowed else todo)
        self.schema(place, was.get("schema"), now.get("schema"), SENT)
        self.content(place, was, now, SENT)
        known = ["required", "schema", "content", *HOW]
        self.others(place, was, now, known)

    def pagination(self, place: str, was: dict, now: dict) -> None:
        if bool(was) != bool(now):
            what, todo = ("is now a listing", "") if now else ("is no longer a listing", "Request one page after another yourself.")
            self.say(ADDITION if now else BREAKING, place, what, todo)
            now = now and {"not-with-cursor": now.get("not-with-cursor")}
            was = was and {"not-with-cursor": was.get("not-with-cursor")}
        before, after = (rows(side.get("not-with-cursor")) for side in (was, now))
        for name in sorted({*before, *after}):
            at = f"{place}, parameter {name}"
            if name not in before:
                self.say(BREAKING, at, "now forbidden together with a cursor", "Don't send it together with a cursor.")
            elif name not in after:
                self.say(ADDITION, at, "now allowed together with a cursor")
        self.others(f"{place}, x-pagination", was, now, ["not-with-cursor"])

    def required(self, place: str, was: dict, now: dict, todo: str) -> None:
        needed = [side.get("required") is True for side in (was, now)]
        if needed == [False, True]:
            self.say(BREAKING, place, "was optional and is now required", todo)
        elif needed == [True, False]:
            self.say(ADDITION, place, "was required and is now optional")

    def body(self, place: str, was: dict, now: dict) -> None:
        if bool(was) != bool(now):
            optional = bool(now) and now.get("required") is not True
            words = "now has a body" if now else "no longer has a body"
            todo = "Send a body." if now else "Don't send a body."
            self.say(ADDITION if optional else BREAKING, place, words, "" if optional else todo)
        else:
            self.required(f"{place}, body", was, now, "Send a body.")
            kinds = table(was.get("content")), table(now.get("content"))
            if kinds[0] and {*kinds[1]} > {*kinds[0]}:
                todo = "Check a request: the client may send the other media type."
                self.say(BREAKING, f"{place}, body", f"can now be {', '.join(map(str, kinds[1]))}", todo)
            self.content(f"{place}, body", was, now, SENT)
            self.others(f"{place}, body", was, now, ["content", "required"])

    def content(self, place: str, was: dict, now: dict, direction: Direction, succeeds: bool = True) -> None:
        before, after = table(was.get("content")), table(now.get("content"))
        if bool(before) != bool(after):
            words = "now has content" if after else "no longer has content"
            # A client now returns the body of an error, for which it returned nothing before.
            level = direction.narrower() if after and succeeds else BREAKING
            return self.say(level, place, words, "Regenerate the client, and check what its methods return.")
        for kind in self.names(place, "media type", before, after, "Use another media type."):
            first, second = table(before[kind]), table(after[kind])
            self.schema(place, first.get("schema"), second.get("schema"), direction)
            self.others(f"{place}, {kind}", first, second, ["schema"])

    def responses(self, place: str, was: dict, now: dict) -> None:
        for code, it in was.items():
            if code not in now:
                # An error response without content has no type in generated clients.
                level = BREAKING if success(code) or table(it.get("content")) else ADDITION
                self.say(level, place, f"response {code} removed", "Don't expect it.")
        for code in now:
            if code not in was:
                breaks = success(code) or bool(table(now[code].get("content")))
                self.say(BREAKING if breaks else ADDITION, place, f"response {code} added", "Handle this response, too." if breaks else "")
            else:
                self.response(f"{place}, response {code}", was[code], now[code], success(code))

    def response(self, place: str, was: dict, now: dict, succeeds: bool) -> None:
        kinds = table(was.get("content")), table(now.get("content"))
        if succeeds and kinds[0] and {*kinds[1]} > {*kinds[0]}:
            todo = "If the client lets you choose the media type, do so: a response can have either type."
            self.say(BREAKING, place, f"can now be {', '.join(map(str, kinds[1]))}", todo)
        self.content(place, was, now, RECEIVED, succeeds)
        first, second = table(was.get("headers")), table(now.get("headers"))
        for name in self.names(place, "header", first, second, "Don't expect it."):
            head = self.old.resolve(first[name]), self.new.resolve(second[name])
            self.schema(f"{place}, header {name}", head[0].get("schema"), head[1].get("schema"), RECEIVED)
            sent = [it.get("required") is True for it in head]
            if sent == [False, True]:
                self.say(ADDITION, f"{place}, header {name}", "is now always sent")
            elif sent == [True, False]:
                self.say(BREAKING, f"{place}, header {name}", "may now be missing", "Handle its absence.")
            usual = {"style": "simple", "explode": False}
            self.others(f"{place}, header {name}", *({**usual, **it} for it in head), ["schema", "required"])
        self.others(place, was, now, ["content", "headers"])
