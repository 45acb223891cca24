"""A token of the service, and a client that sends it."""

import os

import httpx
from digital_assets import AuthenticatedClient

BASE_URL = os.environ["DIGITAL_ASSETS_BASE_URL"]


def client(scope: str, base_url: str = BASE_URL) -> AuthenticatedClient:
    form = {
        "grant_type": "client_credentials",
        "client_id": os.environ["DIGITAL_ASSETS_CLIENT_ID"],
        "client_secret": os.environ["DIGITAL_ASSETS_CLIENT_SECRET"],
        "scope": scope,
    }
    response = httpx.post(os.environ["DIGITAL_ASSETS_AUTH_URL"], data=form, timeout=60)
    assert response.status_code == 200, response.text
    return AuthenticatedClient(base_url=base_url, token=response.json()["access_token"])
