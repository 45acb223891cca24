"""Fetches a token, and creates a client that sends it."""

import os

import httpx
from digital_assets import AuthenticatedClient


def client(scope: str) -> AuthenticatedClient:
    form = {
        "grant_type": "client_credentials",
        "client_id": os.environ["DIGITAL_ASSETS_CLIENT_ID"],
        "client_secret": os.environ["DIGITAL_ASSETS_CLIENT_SECRET"],
        "scope": scope,
    }
    response = httpx.post(os.environ["DIGITAL_ASSETS_AUTH_URL"], data=form, timeout=60)
    assert response.status_code == 200, response.text
    return AuthenticatedClient(base_url=os.environ["DIGITAL_ASSETS_BASE_URL"], token=response.json()["access_token"])
