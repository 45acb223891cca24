"""Prints all settled quote executions of a profile, page by page."""

import os

import httpx
from models import QuoteExecutionPage


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


headers = {"Authorization": f"Bearer {token('exchange:read_quote_execution')}"}
url = f"{env('BASE_URL')}/v2/profiles/{env('PROFILE_ID')}/quote-executions"
# The limit must not be sent together with a cursor.
position = {"limit": 100}
while True:
    response = httpx.get(url, headers=headers, params={"status": "SETTLED", **position}, timeout=60)
    page = QuoteExecutionPage.model_validate_json(response.raise_for_status().content)
    for it in page.items:
        # Amounts are strings. decimal.Decimal reads them exactly, but float doesn't.
        print(it.id, it.market, it.price, it.base_amount, it.quote_amount)
    if not page.next_page_cursor:
        break
    position = {"page_cursor": page.next_page_cursor}
