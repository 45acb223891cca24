"""Prints all deposit addresses on two networks, page by page."""

import os

import httpx
from models import DepositAddressPage


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


headers = {"Authorization": f"Bearer {token('transfer:read_deposit_address')}"}
url = f"{env('BASE_URL')}/v2/transfer/deposit-addresses"
# httpx sends a list as repeated parameters.
filters = {"networks": ["SOLANA", "BASE"], "limit": 1000}
position = {}
while True:
    response = httpx.get(url, headers=headers, params={**filters, **position}, timeout=60)
    page = DepositAddressPage.model_validate_json(response.raise_for_status().content)
    for it in page.items:
        print(it.id, it.crypto_network, it.address)
    if not page.next_page_cursor:
        break
    position = {"page_cursor": page.next_page_cursor}
