"""Prints all settled quote executions of a profile, page by page."""

import os

import httpx
from digital_assets import AuthenticatedClient
from digital_assets.api.exchange import list_quote_executions
from digital_assets.models import QuoteExecutionPage, QuoteExecutionStatus
from digital_assets.types import UNSET


def env(name: str) -> str:
    return os.environ[f"DIGITAL_ASSETS_{name}"]


def token(scope: str) -> str:
    form = {
        "grant_type": "client_credentials",
        "client_id": env("CLIENT_ID"),
        "client_secret": env("CLIENT_SECRET"),
        "scope": scope,
    }
    response = httpx.post(env("AUTH_URL"), data=form, timeout=60).raise_for_status()
    return response.json()["access_token"]


client = AuthenticatedClient(env("BASE_URL"), token("exchange:read_quote_execution"))
cursor = UNSET
while True:
    response = list_quote_executions.sync_detailed(
        env("PROFILE_ID"),
        client=client,
        status=QuoteExecutionStatus.SETTLED,
        # The limit must not be sent together with a cursor.
        limit=UNSET if cursor else 100,
        page_cursor=cursor,
    )
    page = response.parsed
    if not isinstance(page, QuoteExecutionPage):
        raise SystemExit(f"status {response.status_code}")
    for it in page.items:
        # Amounts are strings. decimal.Decimal reads them exactly, but float doesn't.
        print(it.id, it.market, it.price, it.base_amount, it.quote_amount)
    cursor = page.next_page_cursor
    if not cursor:
        break
