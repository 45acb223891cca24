"""Checks which addresses tools/publish accepts and which it rejects."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[2] / "tools"))
from address import main  # noqa: E402

AUTH = "https://auth.bank.test/oauth2/token"
SERVERS = {
    "https://api.bank.test": True,
    "https://api.bank.test/": True,
    "https://api.bank.test:8443/gateway": True,
    "https://xn--bcher-kva.test": True,
    "https://api.bank.test/%C3%BC": True,
    "": False,
    "api.bank.test": False,
    "http://api.bank.test": False,
    "ftp://api.bank.test": False,
    "https://": False,
    "https://bank": False,
    "https://localhost:8080": False,
    "https://127.0.0.1": False,
    "https://[::1]": False,
    "https://api.example.com": False,
    "https://example.org": False,
    "https://api.example": False,
    "https://api.bank.test/v2": False,
    "https://api.bank.test/v2/": False,
    "https://api.bank.test?x=1": False,
    "https://api.bank.test#top": False,
    "https://user@api.bank.test": False,
    "https://user:password@api.bank.test": False,
    "https://api.bank.test:0": False,
    "https://api.bank.test:99999": False,
    "https://api.bank.test:": False,
    "https://api.bank.test:port": False,
    "https://api.bank.test//x": False,
    "https://api.bank.test/../x": False,
    "https://api.bank.test/a b": False,
    "https://api.bank.test/%zz": False,
    "https://api.bank.test/{tenant}": False,
    "https://-api.bank.test": False,
    "https://api_1.bank.test": False,
    "https://bücher.test": False,
    " https://api.bank.test": False,
    "https://api.bank.test\n": False,
}
TOKENS = {AUTH: True, "https://auth.bank.test": False, "https://auth.bank.test/": False, "http://auth.bank.test/token": False}


def accepted(server: str, auth: str) -> bool:
    try:
        main(server, auth)
    except SystemExit as refusal:
        print(refusal)
        return False
    return True


wrong = [it for it, right in SERVERS.items() if accepted(it, AUTH) != right]
wrong += [it for it, right in TOKENS.items() if accepted("https://api.bank.test", it) != right]
raise SystemExit(f"wrongly accepted or rejected: {wrong}" if wrong else 0)
