"""Prints all deposit addresses on two networks, page by page."""

import os

import httpx
from digital_assets import AuthenticatedClient
from digital_assets.api.transfer import list_deposit_addresses
from digital_assets.models import CryptoNetwork, DepositAddressPage
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


client = AuthenticatedClient(env("BASE_URL"), token("transfer:read_deposit_address"))
networks = [CryptoNetwork.SOLANA, CryptoNetwork.BASE]
cursor = UNSET
while True:
    response = list_deposit_addresses.sync_detailed(client=client, networks=networks, limit=1000, page_cursor=cursor)
    page = response.parsed
    if not isinstance(page, DepositAddressPage):
        raise SystemExit(f"status {response.status_code}")
    for it in page.items:
        print(it.id, it.crypto_network, it.address)
    cursor = page.next_page_cursor
    if not cursor:
        break
