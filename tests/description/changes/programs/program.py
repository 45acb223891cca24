"""Uses the client from openapi-python-client, and constructs models with positional arguments."""

import json
import os
from datetime import UTC, datetime

from tickets_client import Client
from tickets_client.api.desks import add_clerks, list_desks, list_sales
from tickets_client.models import AddClerksRequest, AddClerksResponse, DeskMetadata, DeskPage, NewClerk, Sale, SalePage, Side

api = Client(base_url=os.environ["BASE_URL"])

sales = list_sales.sync(
    "d1",
    client=api,
    side=Side.STALLS_LEFT,
    since=datetime(2025, 1, 1, tzinfo=UTC),
    until=datetime(2025, 2, 1, tzinfo=UTC),
    count=5,
)
assert isinstance(sales, SalePage) and all(isinstance(it, Sale) for it in sales.items), sales
for it in sales.items:
    print(it.id, it.price.upper(), it.seat_id, it.side, "right" if it.side == Side.STALLS_RIGHT else "left")

desks = list_desks.sync(client=api, ids=["a", "b"], limit=10)
assert isinstance(desks, DeskPage), desks
for it in desks.items:
    metadata = it.metadata if isinstance(it.metadata, DeskMetadata) else DeskMetadata()
    print(it.id, it.opened_at.date(), it.memo, json.dumps(metadata.to_dict()))

added = add_clerks.sync(client=api, body=AddClerksRequest([NewClerk("Ann", "Bonn", ["seller"], "new")]))
assert isinstance(added, AddClerksResponse), added
for it in added.clerks:
    print(it.name, it.id, *it.roles)

# For an error without a body, the result is None.
print(list_sales.sync("nobody", client=api))
