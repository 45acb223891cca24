"""A service of tomorrow: it answers every GET with one page of two quote executions.

The first segment of the path says what is new in it: `enum`, a market that the description doesn't
list; `field`, fields that it doesn't list; `digits`, amounts that no float holds.

Prints the URL it listens at, on 127.0.0.1, and serves until it is ended.
"""

import json
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

EXECUTION = {
    "id": "0c1f4a3e-5b7d-4f5c-8a55-6a1d2b9c7e01",
    "profile_id": "7f6c1a52-0a54-4c3e-9d1b-3f8f1c6f2a10",
    "quote_id": "9b2d7c60-41c5-4e0a-b3a7-5d8e6f1a2b03",
    "status": "SETTLED",
    "market": "BTCUSD",
    "side": "BUY",
    "price": "1.10",
    "base_amount": "100",
    "base_asset": "BTC",
    "quote_amount": "110.00",
    "quote_asset": "USD",
    "created_at": "2025-06-01T12:00:00Z",
}
DIGITS = {
    "price": "0.100",
    "base_amount": "12345678901234567890.0123456789012345678900",
    "quote_amount": "1234567890123456789.001234567890123456789",
}
NEW = {
    "enum": {"market": "NEWUSD"},
    "field": {"fee": {"asset": "USD", "amount": "0.10"}, "venue": "X"},
    "digits": DIGITS,
}


class Tomorrow(BaseHTTPRequestHandler):
    def do_GET(self) -> None:
        what = self.path.split("/")[1]
        page = {"items": [EXECUTION | NEW[what], EXECUTION]}
        if what == "field":
            page["as_of"] = "2025-06-01T12:00:00Z"
        body = json.dumps(page).encode()
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *args: object) -> None:
        pass


server = ThreadingHTTPServer(("127.0.0.1", 0), Tomorrow)
print(f"http://127.0.0.1:{server.server_port}", flush=True)
server.serve_forever()
