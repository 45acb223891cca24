"""Reads YAML according to the core schema of YAML 1.2, as OpenAPI requires: `ON` and `2025-01-01` are strings.
PyYAML itself implements YAML 1.1. Its output means the same in both versions.
"""

import re

import yaml

TAG = "tag:yaml.org,2002:"


class Loader(yaml.SafeLoader):
    yaml_implicit_resolvers: dict = {}


def integer(loader: yaml.Loader, node: yaml.Node) -> int:
    text = loader.construct_scalar(node)
    return int(text, {"0o": 8, "0x": 16}.get(text[:2], 10))


Loader.add_implicit_resolver(f"{TAG}null", re.compile(r"^(~|null|Null|NULL|)$"), ["~", "n", "N", ""])
Loader.add_implicit_resolver(f"{TAG}bool", re.compile(r"^(true|True|TRUE|false|False|FALSE)$"), [*"tTfF"])
Loader.add_implicit_resolver(f"{TAG}int", re.compile(r"^([-+]?[0-9]+|0o[0-7]+|0x[0-9a-fA-F]+)$"), [*"-+0123456789"])
FLOAT = re.compile(r"^([-+]?(\.[0-9]+|[0-9]+(\.[0-9]*)?)([eE][-+]?[0-9]+)?|[-+]?\.(inf|Inf|INF)|\.(nan|NaN|NAN))$")
Loader.add_implicit_resolver(f"{TAG}float", FLOAT, [*"-+.0123456789"])
Loader.add_constructor(f"{TAG}int", integer)


def load(text):
    return yaml.load(text, Loader)
