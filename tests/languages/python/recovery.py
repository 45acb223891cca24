"""Tests that a listing survives two 503s and a revoked token, and that reading the same time range again finds a
record that arrived late. A client for the sandbox's control routes triggers these events.
"""

import datetime
import os
from collections.abc import Callable
from http import HTTPStatus
from uuid import uuid4

from digital_assets.api.exchange import list_quote_executions
from digital_assets.models import Order, QuoteExecution
from digital_assets.types import UNSET
from sandbox_control import Client
from sandbox_control import models as told
from sandbox_control.api.control import get_sandbox, insert_quote_execution, queue_faults, revoke_tokens
from service import client

PROFILE = os.environ["DIGITAL_ASSETS_PROFILE_ID"]
LONG_AGO = datetime.datetime(2000, 1, 1, tzinfo=datetime.UTC)
SCOPE = "exchange:read_quote_execution"
PAGE = 1000
control = Client(base_url=os.environ["SANDBOX_URL"])


def walk(begin: datetime.datetime, happenings: list[Callable[[], None]]) -> list[QuoteExecution]:
    """Lists all executions since a time, oldest first. Triggers the next event after each page."""
    api = client(SCOPE)
    seen, cursor, happenings = [], UNSET, list(happenings)
    while True:
        answer = list_quote_executions.sync_detailed(
            PROFILE,
            client=api,
            created_at_begin=begin,
            order=Order.ASC,
            limit=UNSET if cursor else PAGE,
            page_cursor=cursor,
        )
        if answer.status_code == HTTPStatus.SERVICE_UNAVAILABLE:
            continue
        if answer.status_code == HTTPStatus.UNAUTHORIZED:
            api = client(SCOPE)
            continue
        assert answer.status_code == HTTPStatus.OK, answer
        seen += answer.parsed.items
        cursor = answer.parsed.next_page_cursor
        if not cursor:
            assert not happenings, "not all events were triggered"
            return seen
        if happenings:
            happenings.pop(0)()


def service_fails_twice() -> None:
    fault = told.Fault(told.FaultKind.STATUS, status=503)
    faults = told.Faults("listQuoteExecutions", fault, times=2)
    assert queue_faults.sync_detailed(client=control, body=faults).status_code == HTTPStatus.NO_CONTENT


def tokens_are_revoked() -> None:
    assert revoke_tokens.sync_detailed(client=control).status_code == HTTPStatus.NO_CONTENT


def record_comes_late() -> None:
    body = told.QuoteExecution.from_dict(late.to_dict())
    answer = insert_quote_execution.sync_detailed(client=control, body=body)
    assert answer.status_code == HTTPStatus.NO_CONTENT, answer


def nothing_happens() -> None:
    pass


def received() -> tuple[int, int]:
    state = get_sandbox.sync(client=control)
    return state.request_counts["listQuoteExecutions"], state.token_requests


def ids(records: list[QuoteExecution]) -> list[str]:
    return [str(it.id) for it in records]


expected = walk(LONG_AGO, [])
assert len(expected) > 4 * PAGE, "there are too few records for several pages"
late = QuoteExecution.from_dict(expected[len(expected) // 2].to_dict())
late.id = uuid4()

lists, tokens = received()
walked = walk(LONG_AGO, [service_fails_twice, tokens_are_revoked, nothing_happens, record_comes_late])
lists_after, tokens_after = received()

assert ids(walked) == ids(expected), "the records aren't each returned once, in order"
assert tokens_after - tokens == 2, "expected two token requests"
assert lists_after - lists == -(-len(expected) // PAGE) + 3, "expected 3 failed requests"

known = {it.id for it in walked}
found = [it for it in walk(late.created_at, []) if it.id not in known]
assert ids(found) == [str(late.id)], "reading the same time range again must find only the late record"
everything = ids(walk(LONG_AGO, []))
assert sorted(everything) == sorted(ids(walked) + ids(found))
print(f"a 503, a revoked token and a late record: {len(everything)} records, each once")
