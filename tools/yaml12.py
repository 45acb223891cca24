"""Reads YAML according to the core schema of YAML 1.2, as OpenAPI requires: `ON` and `2025-01-01` are strings.
PyYAML itself implements YAML 1.1. Its output means the same in both versions. Merge keys, duplicate keys, and
aliases inside the value that they refer to are errors.
"""

import re

import yaml

TAG = "tag:yaml.org,2002:"


class Loader(yaml.SafeLoader):
    yaml_implicit_resolvers: dict = {}


def integer(loader: yaml.Loader, node: yaml.Node) -> int:
    text = loader.construct_scalar(node)
    return int(text, {"0o": 8, "0x": 16}.get(text[:2], 10))


def mapping(loader: yaml.Loader, node: yaml.MappingNode) -> dict:
    found = {}
    for key_node, value_node in node.value:
        # The whole value is read before it is returned. So if it contains itself, PyYAML reports an error.
        key = loader.construct_object(key_node, deep=True)
        if key_node.value == "<<" and not key_node.style:
            raise yaml.constructor.ConstructorError(None, None, "merge keys (`<<`) aren't supported", key_node.start_mark)
        if isinstance(key, (dict, list)) or key in found:
            problem = "a key isn't a scalar" if isinstance(key, (dict, list)) else f"the key `{key}` occurs twice"
            raise yaml.constructor.ConstructorError(None, None, problem, key_node.start_mark)
        found[key] = loader.construct_object(value_node, deep=True)
    return found


def sequence(loader: yaml.Loader, node: yaml.SequenceNode) -> list:
    return [loader.construct_object(it, deep=True) for it in node.value]


Loader.add_constructor(f"{TAG}map", mapping)
Loader.add_constructor(f"{TAG}seq", sequence)
Loader.add_implicit_resolver(f"{TAG}null", re.compile(r"^(~|null|Null|NULL|)$"), ["~", "n", "N", ""])
Loader.add_implicit_resolver(f"{TAG}bool", re.compile(r"^(true|True|TRUE|false|False|FALSE)$"), [*"tTfF"])
Loader.add_implicit_resolver(f"{TAG}int", re.compile(r"^([-+]?[0-9]+|0o[0-7]+|0x[0-9a-fA-F]+)$"), [*"-+0123456789"])
FLOAT = re.compile(r"^([-+]?(\.[0-9]+|[0-9]+(\.[0-9]*)?)([eE][-+]?[0-9]+)?|[-+]?\.(inf|Inf|INF)|\.(nan|NaN|NAN))$")
Loader.add_implicit_resolver(f"{TAG}float", FLOAT, [*"-+.0123456789"])
Loader.add_constructor(f"{TAG}int", integer)


def load(text):
    return yaml.load(text, Loader)
