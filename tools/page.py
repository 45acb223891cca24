#!/usr/bin/env python3
"""`page.py DESCRIPTION` prints an OpenAPI 3.0 description as one page of HTML that reads in full as it
opens: no script, no request, nothing folded. So it prints, and Ctrl+F finds every word.

Renderers with a look of their own fold schemas, errors and all examples but the first, or draw only
what is on the screen. Needs PyYAML and markdown-it-py.
"""

import json
import sys
from html import escape

import yaml
from markdown_it import MarkdownIt

STYLE = """
:root { color-scheme: light dark }
body { font: 16px/1.5 system-ui, sans-serif; max-width: 60rem; margin: 0 auto; padding: 1rem }
h1, h2, h3, h4 { line-height: 1.2; margin: 2rem 0 .5rem }
h2 { border-bottom: 1px solid #8888; padding-bottom: .25rem }
code, pre { font: .875em/1.5 ui-monospace, monospace }
pre { background: #8881; padding: .75rem; border-radius: .25rem; white-space: pre-wrap; overflow-wrap: anywhere }
table { border-collapse: collapse; width: 100%; margin: .5rem 0 1rem }
th, td { border: 1px solid #8886; padding: .25rem .5rem; text-align: left; vertical-align: top; overflow-wrap: anywhere }
td:first-child { min-width: 8rem } td p { margin: 0 0 .25rem }
nav ul { columns: 2 }
@media print { body { max-width: none; font-size: 10pt } tr, pre { break-inside: avoid } h2, h3, h4 { break-after: avoid } }
"""
METHODS = ["get", "put", "post", "delete", "options", "head", "patch", "trace"]
BOUNDS = {
    "default": "Default", "minimum": "At least", "maximum": "At most", "minLength": "Characters, at least",
    "maxLength": "Characters, at most", "minItems": "Entries, at least", "maxItems": "Entries, at most", "pattern": "Pattern",
}  # fmt: skip
markdown = MarkdownIt("commonmark", {"html": False}).enable("table")


class Page:
    def __init__(self, document: dict) -> None:
        self.document = document
        self.contents: list[str] = []
        self.parts: list[str] = []

    def resolve(self, node: dict) -> dict:
        while "$ref" in node:
            at, node = node["$ref"], self.document
            for key in at.removeprefix("#/").split("/"):
                node = node[key.replace("~1", "/").replace("~0", "~")]
        return node

    def add(self, html: str) -> None:
        self.parts.append(html)

    def heading(self, level: int, text: str, anchor: str, listed: bool = False) -> None:
        self.add(f'<h{level} id="{escape(anchor)}">{escape(text)}</h{level}>')
        if listed:
            self.contents.append(f'<li><a href="#{escape(anchor)}">{escape(text)}</a></li>')

    def text(self, text: str | None, level: int = 2) -> None:
        """Markdown, whose headings go below the page's own."""
        tokens = markdown.parse(text or "")
        for token in tokens:
            if token.type.startswith("heading"):
                token.tag = f"h{int(token.tag[1]) - 2 + level + 1}"
        self.add(markdown.renderer.render(tokens, markdown.options, {}))

    def table(self, heads: list[str], rows: list[list[str]]) -> None:
        if rows:
            head = "".join(f"<th>{it}</th>" for it in heads)
            body = "".join("<tr>" + "".join(f"<td>{cell}</td>" for cell in row) + "</tr>\n" for row in rows)
            self.add(f"<table><thead><tr>{head}</tr></thead><tbody>\n{body}</tbody></table>")

    def type(self, schema: dict) -> str:
        if at := schema.get("$ref"):
            name = at.rpartition("/")[2]
            return f'<a href="#schema-{escape(name)}">{escape(name)}</a>'
        if schema.get("type") == "array":
            return f"array of {self.type(schema.get('items', {}))}"
        name = escape(schema.get("type", "any"))
        return f"{name} ({escape(schema['format'])})" if "format" in schema else name

    def facts(self, schema: dict, *texts: str | None, example=None) -> str:
        """What is said of a value: texts, bounds, values, example."""
        html = "".join(markdown.render(text) for text in dict.fromkeys(texts) if text)
        told = [f"{word}: <code>{escape(json.dumps(schema[key]))}</code>." for key, word in BOUNDS.items() if key in schema]
        if example is not None:
            told.append(f"Example: <code>{escape(example if isinstance(example, str) else json.dumps(example))}</code>.")
        return html + (f"<p>{' '.join(told)}</p>" if told else "")

    def code(self, title: str, text: str) -> None:
        self.add(f"<p><b>{escape(title)}</b></p><pre>{escape(text)}</pre>")

    def media(self, content: dict) -> None:
        for kind, media in content.items():
            self.add(f"<p><code>{escape(kind)}</code>: {self.type(media.get('schema', {}))}</p>")
            examples = dict(media.get("examples", {}))
            if "example" in media:
                examples["Example"] = {"value": media["example"]}
            for name, example in examples.items():
                self.code(example.get("summary", name), json.dumps(example["value"], indent=2, ensure_ascii=False))

    def operation(self, path: str, method: str, item: dict, operation: dict) -> None:
        self.heading(3, operation.get("summary", operation["operationId"]), operation["operationId"], listed=True)
        end = " <b>Deprecated.</b>" if operation.get("deprecated") else ""
        self.add(f"<p><code>{method.upper()} {escape(path)}</code>, <code>{escape(operation['operationId'])}</code>{end}</p>")
        security = operation.get("security", self.document.get("security", []))
        scopes = [scope for way in security for named in way.values() for scope in named]
        self.add("<p>Scope: " + (" ".join(f"<code>{escape(it)}</code>" for it in scopes) or "none") + "</p>")
        self.text(operation.get("description"), 3)
        rows = []
        for parameter in map(self.resolve, [*item.get("parameters", []), *operation.get("parameters", [])]):
            schema = parameter.get("schema", {})
            needed = "required" if parameter.get("required") else "optional"
            facts = {**self.resolve(schema), **schema}
            told = self.facts(facts, parameter.get("description"), schema.get("description"), example=parameter.get("example"))
            kind = f"{self.type(schema)}<br>{parameter['in']}, {needed}"
            rows.append([f"<code>{escape(parameter['name'])}</code>", kind, told])
        if rows:
            self.heading(4, "Parameters", f"{operation['operationId']}-parameters")
        self.table(["name", "type", "meaning"], rows)
        if body := self.resolve(operation.get("requestBody", {})):
            self.heading(4, "Request body", f"{operation['operationId']}-body")
            self.text(body.get("description"), 4)
            self.media(body.get("content", {}))
        for sample in operation.get("x-codeSamples", []):
            self.code(sample.get("label", sample["lang"]), sample["source"])
        for code, response in operation["responses"].items():
            response = self.resolve(response)
            self.heading(4, f"Answer {code}", f"{operation['operationId']}-{code}")
            self.text(response.get("description"), 4)
            self.media(response.get("content", {}))

    def schema(self, name: str, schema: dict) -> None:
        self.heading(3, name, f"schema-{name}")
        self.add(f"<p>{self.type(schema)}</p>" + self.facts(schema, schema.get("description"), example=schema.get("example")))
        required, rows = schema.get("required", []), []
        for field, it in schema.get("properties", {}).items():
            needed = "" if field in required else "<br>optional"
            rows.append([f"<code>{escape(field)}</code>", self.type(it) + needed, self.facts(it, it.get("description"), example=it.get("example"))])
        self.table(["field", "type", "meaning"], rows)
        names = schema.get("x-enum-varnames", [""] * len(schema.get("enum", [])))
        values = [[f"<code>{escape(str(it))}</code>", f"<code>{escape(name)}</code>" if name else ""] for it, name in zip(schema.get("enum", []), names)]
        self.table(["value", "name in code"] if any(names) else ["value"], values if any(names) else [it[:1] for it in values])

    def whole(self) -> str:
        document, info = self.document, self.document["info"]
        self.text(info.get("description"))
        licence = escape(info.get("license", {}).get("name", ""))
        contact = escape(" ".join(map(str, info.get("contact", {}).values())))
        self.add(f"<p>Licence: {licence}. Contact: {contact}.</p>")
        self.heading(2, "Servers", "servers", listed=True)
        for server in document.get("servers", []):
            self.add(f"<p><code>{escape(server['url'])}</code> {escape(server.get('description', ''))}</p>")
            variables = server.get("variables", {}).items()
            self.table(["variable", "default", "meaning"], [[f"<code>{escape(name)}</code>", f"<code>{escape(it['default'])}</code>", escape(it.get("description", ""))] for name, it in variables])
        self.heading(2, "Authorization", "authorization", listed=True)
        for name, scheme in document["components"].get("securitySchemes", {}).items():
            self.text(scheme.get("description"))
            for flow, it in scheme.get("flows", {}).items():
                self.add(f"<p>{escape(flow)}, token endpoint <code>{escape(it.get('tokenUrl', ''))}</code></p>")
                self.table(["scope", "for"], [[f"<code>{escape(scope)}</code>", escape(text)] for scope, text in it.get("scopes", {}).items()])
        for tag in document["tags"]:
            self.heading(2, tag["name"], f"tag-{tag['name']}", listed=True)
            self.text(tag.get("description"))
            for path, item in document["paths"].items():
                for method in METHODS:
                    if tag["name"] in item.get(method, {}).get("tags", []):
                        self.operation(path, method, item, item[method])
        self.heading(2, "Schemas", "schemas", listed=True)
        for name, schema in document["components"].get("schemas", {}).items():
            self.schema(name, schema)
        title = f"{info['title']} {info['version']}"
        return f"""<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">
<title>{escape(title)}</title>
<style>{STYLE}</style>
</head>
<body>
<h1>{escape(title)}</h1>
<nav><ul>{"".join(self.contents)}</ul></nav>
{"".join(self.parts)}
</body>
</html>
"""


print(Page(yaml.safe_load(open(sys.argv[1], encoding="utf-8"))).whole(), end="")
