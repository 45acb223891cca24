"""`address.py SERVER AUTH` fails unless both are addresses that a client can use: the service's base URL,
to which the paths are appended, and its token endpoint.
"""

import re
import sys
from urllib.parse import urlsplit

EXAMPLES = re.compile(r"(^|\.)(example|localhost|invalid|local|example\.(com|net|org))$")
LABEL = re.compile(r"(?!-)[a-z0-9-]{1,63}(?<!-)$", re.IGNORECASE)


def problem(text: str) -> str | None:
    """What is wrong with an address, or nothing."""
    if not text or re.search(r"[^!-~]", text):
        return "it is empty, or has a space or another character that must be encoded"
    if re.search(r"[\"'<>\\^`{|}]", text) or re.search(r"%(?![0-9A-Fa-f]{2})", text):
        return "it has a character that must be encoded"
    try:
        parts = urlsplit(text)
        port = parts.port
    except ValueError as error:
        return str(error)
    host = parts.hostname or ""
    labels = host.removesuffix(".").split(".")
    if parts.scheme != "https":
        return "it doesn't begin with https://"
    if parts.username is not None or parts.password is not None:
        return "it has a user or a password"
    if "?" in text or "#" in text:
        return "it has a query or a fragment"
    if len(labels) < 2 or not all(map(LABEL.match, labels)) or labels[-1].isdigit():
        return "its host isn't a name with a domain"
    if EXAMPLES.search(host.lower()):
        return "its host is an example or is this machine"
    if port == 0 or parts.netloc.endswith(":"):
        return "its port isn't one"
    if "//" in parts.path or {".", ".."} & {*parts.path.split("/")}:
        return "its path has an empty segment, or one of dots"
    return None


def main(server: str, auth: str) -> None:
    for name, text in (("--server", server), ("--auth", auth)):
        if reason := problem(text):
            raise SystemExit(f"{name} {text!r}: {reason}")
    if re.search(r"/v[0-9]+/?$", server):
        raise SystemExit(f"--server {server!r}: it ends with a version, and every path begins with one")
    if not urlsplit(auth).path.strip("/"):
        raise SystemExit(f"--auth {auth!r}: it has no path: the token endpoint is one address")


if __name__ == "__main__":
    main(*sys.argv[1:])
