"""Adds a member to an institution."""

import os
from uuid import UUID

import httpx
from digital_assets import AuthenticatedClient
from digital_assets.api.identity import add_institution_members
from digital_assets.models import AddInstitutionMembersRequest, AddInstitutionMembersResponse, InstitutionMemberToAdd


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


client = AuthenticatedClient(env("BASE_URL"), token("identity:write_identity"))
member = InstitutionMemberToAdd(identity_id=UUID(env("IDENTITY_ID")), roles=["ROLE_NAME"])
body = AddInstitutionMembersRequest(institution_id=UUID(env("INSTITUTION_ID")), members=[member])
response = add_institution_members.sync_detailed(client=client, body=body)
# After a timeout or a 5xx, the members may have been added. Check whether they were before you retry.
if not isinstance(response.parsed, AddInstitutionMembersResponse):
    raise SystemExit(f"status {response.status_code}")
for it in response.parsed.members:
    print(it.id, it.identity_id)
