"""`address.py SERVER AUTH` fails if a client can't use one of the two addresses. SERVER is the service's base URL,
to which clients append the paths. AUTH is its token endpoint.
"""

import re
import sys
from urllib.parse import urlsplit

EXAMPLES = re.compile(r"(^|\.)(example|localhost|invalid|local|example\.(com|net|org))$")
LABEL = re.compile(r"(?!-)[a-z0-9-]{1,63}(?<!-)$", re.IGNORECASE)


def problem(text: str) -> str | None:
    """The reason why an address can't be used, or None."""
    if not text or re.search(r"[^!-~]", text):
        return "the address is empty, or has a space or another character that must be percent-encoded"
    if re.search(r"[\"'<>\\^`{|}]", text) or re.search(r"%(?![0-9A-Fa-f]{2})", text):
        return "the address has a character that must be percent-encoded"
    try:
        parts = urlsplit(text)
        port = parts.port
    except ValueError as error:
        return str(error)
    host = parts.hostname or ""
    labels = host.removesuffix(".").split(".")
    if parts.scheme != "https":
        return "the address must begin with https://"
    if parts.username is not None or parts.password is not None:
        return "the address must not contain a user name or a password"
    if "?" in text or "#" in text:
        return "the address must not contain a query or a fragment"
    if len(labels) < 2 or not all(map(LABEL.match, labels)) or labels[-1].isdigit():
        return "the host isn't a domain name"
    if EXAMPLES.search(host.lower()):
        return "the host is an example name or a local name"
    if port == 0 or parts.netloc.endswith(":"):
        return "the port is invalid"
    if "//" in parts.path or {".", ".."} & {*parts.path.split("/")}:
        return "the path has an empty segment, or a segment `.` or `..`"
    return None


def main(server: str, auth: str) -> None:
    for name, text in (("--server", server), ("--auth", auth)):
        if reason := problem(text):
            raise SystemExit(f"{name} {text!r}: {reason}")
    if re.search(r"/v[0-9]+/?$", server):
        raise SystemExit(f"--server {server!r}: remove the version from the end, because every path begins with it")
    if not urlsplit(auth).path.strip("/"):
        raise SystemExit(f"--auth {auth!r}: add the path of the token endpoint")


if __name__ == "__main__":
    main(*sys.argv[1:])
