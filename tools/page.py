#!/usr/bin/env python3
"""`page.py DESCRIPTION DATE [NAME]` prints an OpenAPI 3.0 description as one HTML page. The page has no scripts and
loads nothing. It collapses only the contents on narrow screens, and the programs. A printed page is complete, and
Ctrl+F finds every word. DATE is the date of the description, as in 2025-01-31. NAME is the published files' name
without a suffix, and adds links to these files. `page.py --changes FILE PAGE` prints the page of changes from a
Markdown file; PAGE is the URL of the description's page.

Other renderers collapse schemas, errors and all examples except the first, or render only the visible part.
Needs PyYAML and markdown-it-py.
"""

import json
import re
import sys
from html import escape
from pathlib import Path

from markdown_it import MarkdownIt
from yaml12 import load

STYLE = (Path(__file__).parent / "page.css").read_text(encoding="utf-8")
METHODS = ["get", "put", "post", "delete", "options", "head", "patch", "trace"]
BOUNDS = {
    "default": "Default", "minimum": "At least", "maximum": "At most", "minLength": "Characters, at least",
    "maxLength": "Characters, at most", "minItems": "Entries, at least", "maxItems": "Entries, at most", "pattern": "Pattern",
}  # fmt: skip
markdown = MarkdownIt("commonmark", {"html": False}).enable("table")


def code(text: object) -> str:
    return f"<code>{escape(str(text))}</code>"


def name_code(text: str) -> str:
    """Returns a name that can wrap after punctuation, so that it fits on a narrow screen."""
    return re.sub(r"([_./])(?=[^_./<])", r"\1<wbr>", escape(text)).join(["<code>", "</code>"])


def slug(text: str) -> str:
    return re.sub(r"[^a-z0-9]+", "-", text.lower()).strip("-")


class Document:
    """The parts of an HTML page, and its table of contents, which is nested like the headings."""

    def __init__(self) -> None:
        self.contents: list[tuple[int, str, str]] = []
        self.parts: list[str] = []

    def add(self, html: str) -> None:
        self.parts.append(html)

    def heading(self, level: int, text: str, anchor: str) -> None:
        link = f'<a class="self" href="#{escape(anchor)}">{escape(text)}</a>'
        self.add(f'<h{level} id="{escape(anchor)}">{link}</h{level}>')
        if level < 4:
            self.contents.append((level, text, anchor))

    def text(self, text: str | None, level: int = 2, prefix: str = "") -> None:
        """Adds Markdown. Its headings are moved below the page's own headings, and get ids."""
        tokens, title = markdown.parse(text or ""), "example"
        for at, token in enumerate(tokens):
            if token.type == "table_open":
                token.attrSet("aria-label", title)
            if token.type == "fence":
                token.type, token.content = "html_block", self.block(title, token.content)
            if token.type.startswith("heading"):
                token.tag = f"h{int(token.tag[1]) - 2 + level + 1}"
            if token.type == "heading_open":
                title = tokens[at + 1].content
                anchor = f"{prefix}{slug(title)}"
                token.attrSet("id", anchor)
                tokens[at + 1].children = markdown.parseInline(f"[{title}](#{anchor})")[0].children
                self.contents.append((int(token.tag[1]), title, anchor))
        self.add(markdown.renderer.render(tokens, markdown.options, {}))

    def table(self, name: str, heads: list[str], rows: list[tuple[str, list[str]]], caption: str = "") -> None:
        """Adds a table. A row with an anchor can be linked to. On a narrow screen, each row is shown as a list entry.
        NAME is for screen readers, unless there is a visible caption."""
        if rows:
            head = "".join(f'<th scope="col">{it}</th>' for it in heads)
            body = ""
            for anchor, cells in rows:
                name = f'<a class="self" href="#{escape(anchor)}">{cells[0]}</a>' if anchor else cells[0]
                first = f'<th scope="row">{name}</th>'
                rest = "".join(f"<td>{cell}</td>" for cell in cells[1:])
                address = f' id="{escape(anchor)}"' if anchor else ""
                body += f"<tr{address}>{first}{rest}</tr>\n"
            opened = f"<table><caption>{caption}</caption>" if caption else f'<table aria-label="{escape(name)}">'
            self.add(f"{opened}<thead><tr>{head}</tr></thead><tbody>\n{body}</tbody></table>")

    def block(self, name: str, text: str) -> str:
        """Returns a code block. A keyboard can scroll it, and NAME is for screen readers."""
        return f'<pre tabindex="0" role="group" aria-label="{escape(name)}"><code>{escape(text)}</code></pre>\n'

    def sample(self, title: str, of: str, text: str, folded: bool = False) -> None:
        outer, inner = ("details", "summary") if folded else ("figure", "figcaption")
        self.add(f"<{outer}><{inner}>{escape(title)}</{inner}>{self.block(f'{title}: {of}', text)}</{outer}>")

    def navigation(self) -> str:
        html, depth = "", 1
        for level, text, anchor in self.contents:
            level = min(level, depth + 1)
            html += "<ul>" * (level - depth) if level > depth else "</li>" + "</ul></li>" * (depth - level)
            html += f'<li><a href="#{escape(anchor)}">{escape(text)}</a>'
            depth = level
        return html + "</li></ul>" * (depth - 1)

    def html(self, title: str, links: dict[str, str], about: str = "", foot: str = "") -> str:
        links = {"Contents": "#contents"} | links
        top = "".join(f'<li><a href="{escape(at)}">{escape(text)}</a></li>' for text, at in links.items())
        return f"""<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">
<title>{escape(title)}</title>
<style>{STYLE}</style>
</head>
<body>
<a class="skip" href="#text">Skip to the text</a>
<header><ul>{top}</ul></header>
<main>
<h1 id="top">{escape(title)}</h1>
<div class="about">{about}</div>
<nav id="contents" aria-label="Contents"><details><summary>Contents</summary>{self.navigation()}</details></nav>
<div id="text" tabindex="-1">
{"".join(self.parts)}
</div>
</main>
<footer><p>{foot}</p></footer>
</body>
</html>
"""


class Page(Document):
    def __init__(self, description: dict) -> None:
        super().__init__()
        self.description = description

    def resolve(self, node: dict) -> dict:
        while "$ref" in node:
            at, node = node["$ref"], self.description
            for key in at.removeprefix("#/").split("/"):
                node = node[key.replace("~1", "/").replace("~0", "~")]
        return node

    def type(self, schema: dict) -> str:
        if at := schema.get("$ref"):
            name = at.rpartition("/")[2]
            return f'<a href="#schema-{escape(name)}">{escape(name)}</a>'
        if schema.get("type") == "array":
            return f"array of {self.type(schema.get('items', {}))}"
        name = escape(schema.get("type", "any"))
        return f"{name} ({escape(schema['format'])})" if "format" in schema else name

    def values(self, schema: dict) -> str:
        """Returns the enum values of a parameter, or of its entries if it is an array."""
        schema = self.resolve(schema)
        return " ".join(map(code, self.resolve(schema.get("items", schema)).get("enum", [])))

    def facts(self, schema: dict, *told: str | None, example=None, values: str = "") -> str:
        """Returns the facts about a value: texts, bounds, known values, example."""
        html = "".join(markdown.render(text) for text in dict.fromkeys(told) if text)
        lines = [f"{word}: {code(json.dumps(schema[key]))}." for key, word in BOUNDS.items() if key in schema]
        if values:
            lines.append(f"Known values: {values}.")
        if example is not None:
            lines.append(f"Example: {code(example if isinstance(example, str) else json.dumps(example))}.")
        return html + "".join(f"<p>{line}</p>" for line in lines)

    def media(self, content: dict, of: str, anchor: str) -> None:
        for kind, media in content.items():
            self.add(f"<p>{code(kind)}: {self.type(media.get('schema', {}))}</p>")
            for name in references(self.description, media.get("schema", {})):
                self.fields(name, of, f"{anchor}.{name}", values=True)
            examples = dict(media.get("examples", {}))
            if "example" in media:
                examples["Example"] = {"value": media["example"]}
            for name, example in examples.items():
                self.sample(example.get("summary", name), of, json.dumps(example["value"], indent=2, ensure_ascii=False))

    def fields(self, name: str, of: str, anchor: str, values: bool = False) -> None:
        """Adds the fields of a schema. A table in an operation also has the enum values."""
        schema, rows = self.description["components"]["schemas"][name], []
        for field, it in schema.get("properties", {}).items():
            needed = "required" if field in schema.get("required", []) else "optional"
            told = self.facts(it, self.resolve(it).get("description"), example=it.get("example"), values=self.values(it) if values else "")
            rows.append((f"{anchor}.{field}", [name_code(field), f"{self.type(it)}<br>{needed}", told]))
        caption = f"Fields of {self.type({'$ref': name})}" if values else ""
        self.table(of, ["field", "type", "meaning"], rows, caption)

    def operation(self, path: str, method: str, item: dict, operation: dict) -> None:
        name = operation["operationId"]
        title = operation.get("summary", name)
        self.heading(3, title, name)
        end = " <strong>Deprecated.</strong>" if operation.get("deprecated") else ""
        self.add(f"<p>{name_code(f'{method.upper()} {path}')}, {code(name)}{end}</p>")
        security = operation.get("security", self.description.get("security", []))
        scopes = [scope for way in security for named in way.values() for scope in named]
        self.add("<p>Scope: " + (" ".join(map(code, scopes)) or "none") + "</p>")
        self.text(operation.get("description"), 3)
        rows = []
        for parameter in map(self.resolve, [*item.get("parameters", []), *operation.get("parameters", [])]):
            schema = parameter.get("schema", {})
            needed = "required" if parameter.get("required") else "optional"
            facts = {**self.resolve(schema), **schema}
            told = self.facts(facts, parameter.get("description"), schema.get("description"), example=parameter.get("example"), values=self.values(schema))
            kind = f"{self.type(schema)}<br>{parameter['in']}, {needed}"
            rows.append((f"{name}.{parameter['name']}", [name_code(parameter["name"]), kind, told]))
        if rows:
            self.heading(4, f"{title}: parameters", f"{name}-parameters")
        self.table(f"{title}: parameters", ["name", "type", "meaning"], rows)
        if body := self.resolve(operation.get("requestBody", {})):
            self.heading(4, f"{title}: request body", f"{name}-body")
            self.add(f"<p>{'Required' if body.get('required') else 'Optional'}.</p>")
            self.text(body.get("description"), 4)
            self.media(body.get("content", {}), f"{title}, request body", f"{name}-body")
        for status, response in operation["responses"].items():
            response = self.resolve(response)
            self.heading(4, f"{title}: response {status}", f"{name}-{status}")
            self.text(response.get("description"), 4)
            self.media(response.get("content", {}), f"{title}, response {status}", f"{name}-{status}")
        if samples := operation.get("x-codeSamples", []):
            self.heading(4, f"{title}: programs", f"{name}-programs")
        for sample in samples:
            self.sample(sample.get("label", sample["lang"]), title, sample["source"], folded=True)

    def schema(self, name: str, schema: dict) -> None:
        self.heading(3, name, f"schema-{name}")
        self.add(f"<p>{self.type(schema)}</p>" + self.facts(schema, schema.get("description"), example=schema.get("example")))
        if may_change := schema.get("x-open-values"):
            self.add(f"<p>A record may still change while this is {' or '.join(map(code, may_change))}.</p>")
        used = [
            f'<a href="#{escape(it["operationId"])}">{escape(it.get("summary", it["operationId"]))}</a>'
            for it in operations(self.description)
            if name in references(self.description, it)
        ]
        self.add(f"<p>Used by: {', '.join(used) or 'no operation'}.</p>")
        self.fields(name, f"{name}: fields", name)
        values = schema.get("enum", [])
        names = schema.get("x-enum-varnames", [])
        named = [[code(value), code(names[at])] if names else [code(value)] for at, value in enumerate(values)]
        self.table(f"{name}: values", ["value", "name in code"][: 2 if names else 1], [(f"{name}.{value}", cells) for value, cells in zip(values, named)])

    def whole(self, date: str, name: str | None) -> str:
        description, info = self.description, self.description["info"]
        self.text(info.get("description"))
        self.heading(2, "Servers", "servers")
        for server in description.get("servers", []):
            self.add(f"<p>{name_code(server['url'])} {markdown.renderInline(server.get('description', ''))}</p>")
            variables = server.get("variables", {}).items()
            self.table("Variables of the server", ["variable", "default", "meaning"], [("", [code(name), code(it["default"]), escape(it.get("description", ""))]) for name, it in variables])
        self.heading(2, "Authorization", "authorization")
        for scheme in description["components"].get("securitySchemes", {}).values():
            self.text(scheme.get("description"))
            for flow, it in scheme.get("flows", {}).items():
                self.add(f"<p>{escape(flow)}, token endpoint {name_code(it.get('tokenUrl', ''))}</p>")
                self.table("Scopes", ["scope", "for"], [("", [code(scope), escape(text)]) for scope, text in it.get("scopes", {}).items()])
        # The operations come before the tags that contain only texts.
        for tag in sorted(description["tags"], key=lambda it: bool(it.get("x-traitTag"))):
            self.heading(2, tag["name"], f"tag-{tag['name']}")
            self.text(tag.get("description"), prefix=f"{slug(tag['name'])}-")
            for path, item in description["paths"].items():
                for method in METHODS:
                    if tag["name"] in item.get(method, {}).get("tags", []):
                        self.operation(path, method, item, item[method])
        self.heading(2, "Schemas", "schemas")
        for it, schema in description["components"].get("schemas", {}).items():
            self.schema(it, schema)
        licence = escape(info.get("license", {}).get("name", ""))
        contact = escape(" ".join(map(str, info.get("contact", {}).values())))
        texts = {it["name"]: f"#tag-{it['name']}" for it in description["tags"] if it.get("x-traitTag")}
        links = {"Operations": f"#{operations(description)[0]['operationId']}"} | texts | {"Schemas": "#schemas"} | ({"Changes": "CHANGES.html"} if name else {})
        about = f'<p>As of <time datetime="{date}">{date}</time>.</p>'
        if name:
            about += "<p>Files: " + ", ".join(f'<a href="{escape(at)}">{escape(text)}</a>' for text, at in files(name).items()) + ".</p>"
        return self.html(f"{info['title']} {info['version']}", links, about, f"License: {licence}. Contact: {contact}.")


def files(name: str) -> dict[str, str]:
    return {
        "OpenAPI 3.0 in YAML": f"{name}.yaml",
        "in JSON": f"{name}.json",
        "without references": f"{name}-dereferenced.json",
        "OpenAPI 3.1 in YAML": f"{name}-openapi-3.1.yaml",
        "3.1 in JSON": f"{name}-openapi-3.1.json",
        "workflows in Arazzo": f"{name}.arazzo.yaml",
        "clients in other languages": "clients/README.md",
        "a summary for language models": "llms.txt",
        "changes": "CHANGES.html",
    }


def operations(description: dict) -> list[dict]:
    return [item[method] for item in description["paths"].values() for method in METHODS if method in item]


def references(description: dict, node, found: dict | None = None) -> list[str]:
    """Returns the names of the schemas that a part of the description uses, directly or through others."""
    found = {} if found is None else found
    if isinstance(node, dict) and isinstance(at := node.get("$ref"), str):
        if at not in found:
            kind, found[at] = at.removeprefix("#/components/").split("/")
            references(description, description["components"][kind][found[at]], found)
    elif isinstance(node, dict | list):
        for child in node.values() if isinstance(node, dict) else node:
            references(description, child, found)
    return [name for at, name in found.items() if at.startswith("#/components/schemas/")]


def changes(text: str, page: str) -> str:
    first, _, rest = text.partition("\n")
    document = Document()
    # Each version has the same headings, so they begin with the version.
    for part in re.split(r"(?m)^(?=## )", rest):
        title = part.partition("\n")[0].removeprefix("## ")
        document.text(re.sub("(?m)^### ", f"### {title}: ", part), 1)
    return document.html(first.removeprefix("# "), {"The description": page})


if __name__ == "__main__":
    if sys.argv[1] == "--changes":
        print(changes(Path(sys.argv[2]).read_text(encoding="utf-8"), sys.argv[3]), end="")
    else:
        description = load(Path(sys.argv[1]).read_text(encoding="utf-8"))
        print(Page(description).whole(*[*sys.argv[2:], None][:2]), end="")
