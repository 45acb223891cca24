"""Tells schemathesis what it can't know from openapi.yaml: existing identifiers, rules that are only in texts,
and the sandbox's behavior where openapi.yaml doesn't specify any.
"""

import os

import schemathesis

# The parameters with enums whose unknown values the sandbox rejects. It accepts unknown values in filters.
REFUSED = {"order", "order_by"}


@schemathesis.hook
def before_call(context, case, kwargs):
    """Corrects requests that should be valid. Requests that should be invalid, and examples, aren't changed."""
    if case.meta is None or case.meta.generation.mode.is_negative:
        return
    # The examples in openapi.yaml are valid as they are.
    if case.meta.phase.name == "examples":
        return
    # Uses the identifiers that `digital-assets sandbox` prints. With others, all responses would be 404.
    for fields in (case.path_parameters, case.body):
        for name in fields if isinstance(fields, dict) else ():
            fields[name] = os.environ.get(f"DIGITAL_ASSETS_{name.upper()}", fields[name])
    if case.query:
        # A cursor can only come from a response, but schemathesis invents one.
        case.query.pop("page_cursor", None)
        # "It must be valid for the given network."
        if "address" in case.query:
            case.query.pop("crypto_network", None)
        # openapi.yaml doesn't specify a minimum for `limit`. The sandbox uses 1.
        if int(case.query.get("limit", 1)) < 1:
            case.query["limit"] = 1


@schemathesis.hook
def filter_failure(context, failure, case, response):
    """Allows the sandbox to accept unknown enum values in filters, because the service may add enum values."""
    accepted = failure.code == "ST201" and response.status_code == 200
    return not (accepted and any(unknown(it, case) for it in case.operation.query))


def unknown(parameter, case):
    schema = parameter.definition["schema"]
    known = schema.get("items", schema).get("enum")
    if known is None or parameter.name in REFUSED:
        return False
    given = (case.query or {}).get(parameter.name, [])
    given = given if isinstance(given, list) else [given]
    return any(value not in known for value in given)
