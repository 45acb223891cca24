"""Calls every operation with the client from openapi-python-client."""

import datetime
import importlib
import json
import os
import re
from http import HTTPStatus
from pathlib import Path
from typing import get_args, get_type_hints
from uuid import UUID

from digital_assets.api.exchange import list_quote_executions
from digital_assets.api.identity import add_institution_members
from digital_assets.api.rewards import list_monitoring_addresses
from digital_assets.api.transfer import list_deposit_addresses
from digital_assets.models import (
    AddInstitutionMembersRequest,
    AddInstitutionMembersResponse,
    CryptoNetwork,
    DepositAddressPage,
    MonitoringAddressPage,
    InstitutionMemberToAdd,
    Order,
    QuoteExecutionPage,
    Side,
)
from digital_assets.types import UNSET
from service import client

PROFILE = os.environ["DIGITAL_ASSETS_PROFILE_ID"]
INSTITUTION = UUID(os.environ["DIGITAL_ASSETS_INSTITUTION_ID"])
LONG_AGO = datetime.datetime(2000, 1, 1, tzinfo=datetime.UTC)


def typed(value: object, kind: object) -> object:
    """Converts an example to the type of a parameter. If that is a union, the first type is used."""
    if isinstance(value, list):
        (entry,) = get_args(next(it for it in get_args(kind) or [kind] if get_args(it)))
        return [typed(it, entry) for it in value]
    kind = (get_args(kind) or [kind])[0]
    if kind is datetime.datetime:
        return datetime.datetime.fromisoformat(value)
    return kind.from_dict(value) if isinstance(value, dict) else kind(value)


def every_operation_with_the_examples_of_the_description() -> str:
    calls = json.loads(Path("calls.json").read_text())
    for call in calls:
        name = re.sub("[A-Z]", lambda it: "_" + it[0].lower(), call["operation"])
        function = importlib.import_module(f"digital_assets.api.{call['tag'].lower()}.{name}").sync_detailed
        kinds = get_type_hints(function)
        examples = {it["name"].replace(".", "_"): it["example"] for it in call["arguments"] if "example" in it}
        arguments = {name: typed(value, kinds[name]) for name, value in examples.items()}
        response = function(client=client(call["scope"]), **arguments)
        assert response.status_code == HTTPStatus.OK, f"{name}: {response}"
    return ", ".join(call["operation"] for call in calls)


def three_pages_of_quote_executions_by_cursor() -> str:
    api = client("exchange:read_quote_execution")
    seen = []
    cursor = UNSET
    for number in range(3):
        page = list_quote_executions.sync(
            PROFILE,
            client=api,
            side=Side.BUY,
            created_at_begin=LONG_AGO,
            order=Order.ASC,
            # `limit` must not be sent together with a cursor.
            limit=UNSET if cursor else 5,
            page_cursor=cursor,
        )
        assert isinstance(page, QuoteExecutionPage), page
        assert page.items and page.next_page_cursor, f"page {number} has no records or no next cursor"
        seen += page.items
        cursor = page.next_page_cursor
    assert len({it.id for it in seen}) == len(seen), "a record was returned twice"
    assert all(it.side is Side.BUY and it.profile_id == UUID(PROFILE) for it in seen), "a record doesn't match the filter"
    times = [it.created_at for it in seen]
    assert times == sorted(times), "the records aren't in ascending order"
    assert isinstance(seen[0].price, str), "a decimal isn't a string"
    return f"{len(seen)} records"


def dotted_names_keep_their_dots() -> str:
    api = client("exchange:read_quote_execution")
    newest = list_quote_executions.sync(PROFILE, client=api, limit=1).items[0]
    # The client truncates times to microseconds.
    end = newest.created_at + datetime.timedelta(microseconds=1)
    page = list_quote_executions.sync(
        PROFILE, client=api, created_at_begin=newest.created_at, created_at_end=end
    )
    assert newest.id in [it.id for it in page.items], "a record at one of the bounds is missing"
    assert {it.created_at for it in page.items} == {newest.created_at}
    return f"{newest.created_at.isoformat()}, {len(page.items)} records"


def monitoring_addresses_of_one_network() -> str:
    api = client("rewards:read_monitoring_address")
    page = list_monitoring_addresses.sync(
        client=api, crypto_network=CryptoNetwork.SOLANA, limit=10
    )
    assert isinstance(page, MonitoringAddressPage) and page.addresses
    assert {it.crypto_network for it in page.addresses} == {CryptoNetwork.SOLANA}
    return f"{len(page.addresses)} records"


def deposit_addresses_by_arrays_of_networks_and_ids() -> str:
    api = client("transfer:read_deposit_address")
    networks = [CryptoNetwork.SOLANA, CryptoNetwork.ETHEREUM]
    page = list_deposit_addresses.sync(client=api, networks=networks, created_at_gte=LONG_AGO)
    assert isinstance(page, DepositAddressPage)
    assert {it.crypto_network for it in page.items} == set(networks)
    ids = [it.id for it in page.items[:2]]
    some = list_deposit_addresses.sync(client=api, ids=ids)
    assert sorted(it.id for it in some.items) == sorted(ids)
    return ", ".join(map(str, ids))


def members_are_added() -> str:
    api = client("identity:write_identity")
    members = [
        InstitutionMemberToAdd(UUID("4d8b3e72-16f9-4a05-8c3d-2e7f9a1b5c06"), ["TRUSTEE"]),
        InstitutionMemberToAdd(UUID("8e1f3a5c-7b9d-4e2f-a4c6-d8e0f2a4b607"), ["GRANTOR", "TRUSTEE"]),
    ]
    request = AddInstitutionMembersRequest(INSTITUTION, members)
    added = add_institution_members.sync(client=api, body=request)
    assert isinstance(added, AddInstitutionMembersResponse), added
    assert added.institution_id == INSTITUTION
    assert [(it.identity_id, it.roles) for it in added.members] == [
        (it.identity_id, it.roles) for it in members
    ]
    return ", ".join(str(it.id) for it in added.members)


def an_error_keeps_its_status_and_its_body() -> str:
    api = client("rewards:read_monitoring_address")
    request = AddInstitutionMembersRequest(INSTITUTION, [InstitutionMemberToAdd(INSTITUTION)])
    response = add_institution_members.sync_detailed(client=api, body=request)
    assert response.status_code == HTTPStatus.FORBIDDEN, "a token without the scope was accepted"
    assert response.content and response.parsed is None, "the response's body is missing, or was parsed"
    return f"status {response.status_code.value}"


for scene in [
    every_operation_with_the_examples_of_the_description,
    three_pages_of_quote_executions_by_cursor,
    dotted_names_keep_their_dots,
    monitoring_addresses_of_one_network,
    deposit_addresses_by_arrays_of_networks_and_ids,
    members_are_added,
    an_error_keeps_its_status_and_its_body,
]:
    print(f"{scene.__name__.replace('_', ' ')}: {scene()}")
