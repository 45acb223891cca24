"""Prints all monitored addresses on one network, page by page."""

import os

import httpx
from digital_assets import AuthenticatedClient
from digital_assets.api.rewards import list_monitoring_addresses
from digital_assets.models import CryptoNetwork, MonitoringAddressPage
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


client = AuthenticatedClient(env("BASE_URL"), token("rewards:read_monitoring_address"))
network = CryptoNetwork.ETHEREUM
cursor = UNSET
while True:
    response = list_monitoring_addresses.sync_detailed(client=client, crypto_network=network, limit=1000, page_cursor=cursor)
    page = response.parsed
    if not isinstance(page, MonitoringAddressPage):
        raise SystemExit(f"status {response.status_code}")
    for it in page.addresses:
        print(it.id, it.crypto_network, it.address)
    cursor = page.next_page_cursor
    if not cursor:
        break
