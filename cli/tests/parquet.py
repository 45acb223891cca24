"""Reads the tool's Parquet files with three readers, and compares the records with its JSON lines.

parquet.py LINES TEXT DECIMALS: the same records as jsonl, as Parquet, and as Parquet with --decimals.
"""

import json
import sys
from datetime import datetime, timezone
from decimal import Decimal

import duckdb
import polars
import pyarrow
import pyarrow.parquet

lines, text, decimals = sys.argv[1:]
AMOUNTS = ("price", "base_amount", "quote_amount")
TIMES = ("created_at", "settled_at")
records = [json.loads(line) for line in open(lines)]


def nanoseconds(time):
    """Converts an RFC 3339 time in UTC to nanoseconds since 1970."""
    whole, _, fraction = time.removesuffix("Z").partition(".")
    seconds = datetime.fromisoformat(whole).replace(tzinfo=timezone.utc).timestamp()
    return int(seconds) * 10**9 + int(fraction.ljust(9, "0"))


def expected(record, name):
    value = record.get(name)
    return nanoseconds(value) if value is not None and name in TIMES else value


def same(reader, rows, amount):
    assert len(rows) == len(records), f"{reader}: {len(rows)} of {len(records)} records"
    for row, record in zip(rows, records):
        for name in row:
            value = row[name]
            wanted = expected(record, name)
            if name == "metadata":
                # An empty object is null in Parquet.
                value = json.loads(value or "{}")
            if name in AMOUNTS:
                wanted = amount(wanted)
                assert type(value) is type(wanted), f"{reader}: {name} is {type(value)}"
            assert value == wanted, f"{reader}: {name} is {value!r}, not {wanted!r}"
    print(f"{reader}: {len(rows)} records, {len(rows[0])} columns")


def by_pyarrow(path):
    table = pyarrow.parquet.read_table(path)
    for name in TIMES:
        assert table.schema.field(name).type == pyarrow.timestamp("ns", tz="UTC"), table.schema
        at = table.schema.get_field_index(name)
        table = table.set_column(at, name, table[name].cast(pyarrow.int64()))
    return table.to_pylist()


def by_polars(path):
    frame = polars.read_parquet(path)
    assert frame.schema["created_at"] == polars.Datetime("ns", "UTC"), frame.schema
    return frame.with_columns(polars.col(name).dt.epoch("ns") for name in TIMES).to_dicts()


def by_duckdb(path):
    times = ", ".join(f"epoch_ns({name}) AS {name}" for name in TIMES)
    relation = duckdb.sql(f"SELECT * REPLACE ({times}) FROM read_parquet('{path}')")
    return [dict(zip(relation.columns, row)) for row in relation.fetchall()]


for path, amount in ((text, str), (decimals, Decimal)):
    same("pyarrow", by_pyarrow(path), amount)
    same("polars", by_polars(path), amount)
    same("duckdb", by_duckdb(path), amount)
print(duckdb.sql(f"SELECT market, sum(quote_amount) FROM read_parquet('{decimals}') GROUP BY market ORDER BY 1 LIMIT 3"))
