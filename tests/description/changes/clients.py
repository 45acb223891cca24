"""`clients.py [--write] [--only REGEX] [--generator NAME]` finds out how each change in
changes.yaml affects clients from five generators.

For each generator, it generates a client from both versions of the OpenAPI description, compiles a
program for the old version (programs/) with each client, and runs the program against a service that
records the requests. It fails if the results differ from the table. `--write` updates the table instead.

This takes 15 minutes, which is too long for CI. CI runs only table.py, which compares the table with
tools/description-diff. Needs the tools from tests/languages, a JDK, and npm. `--only` selects changes by
their names, and `--generator` selects one generator. Generated clients are kept in target/changes, and
reused until the description or a generator's version changes.
"""

import hashlib
import json
import os
import re
import subprocess
import sys
import threading
from concurrent.futures import ThreadPoolExecutor
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

from model import ANSWERS, BASE, HERE, edit, load
from model import GENERATORS as ALL

ROOT = HERE.parents[2]
WORK = ROOT / "target/changes"
GENERATORS = [sys.argv[sys.argv.index("--generator") + 1]] if "--generator" in sys.argv else ALL
PROGRAMS = dict(zip(ALL, ["names.ts", "positions.ts", "program.py", "Program.java", "program.go"]))
NPM = ["openapi-typescript@7.13.0", "openapi-fetch@0.17.0", "openapi-typescript-codegen@0.31.0", "typescript@5.9.3", "@types/node@20.19.0"]
BIN = WORK / "npm/node_modules/.bin"
JAVA = {"invokerPackage": "tickets", "apiPackage": "tickets.api", "modelPackage": "tickets.model", "hideGenerationTimestamp": True, "openApiNullable": False, "useJakartaEe": True}
GO = {"packageName": "tickets", "withGoMod": False, "enumClassPrefix": True}


def sh(*command, cwd=None, **variables) -> subprocess.CompletedProcess:
    environment = os.environ | {name: str(value) for name, value in variables.items()}
    return subprocess.run([*map(str, command)], cwd=cwd, env=environment, capture_output=True, text=True, timeout=1800)


def must(*command, **more) -> str:
    done = sh(*command, **more)
    if done.returncode:
        raise SystemExit(f"{command}\n{done.stdout[-3000:]}{done.stderr[-3000:]}")
    return done.stdout


class Service(BaseHTTPRequestHandler):
    """Responds to the requests of a program. The first segment of the path is the key in `rows`."""

    rows: dict = {}

    def answer(self) -> None:
        row, _, path = self.path[1:].partition("/")
        body = self.rfile.read(int(self.headers.get("Content-Length") or 0)).decode()
        path, _, query = path.partition("?")
        answers, requests = self.rows[row]
        headers = {name: self.headers[name] for name in ("Content-Type", "X-Desk") if self.headers[name]}
        kinds = {it.split(";")[0].strip() for it in (self.headers["Accept"] or "*/*").split(",")}
        wants = sorted(kinds - {"application/json", "*/*", "application/problem+json"})
        requests.append([self.command, path, sorted(query.replace("%3A", ":").replace("%2C", ",").split("&")), headers, wants, json.loads(body or "null")])
        name = "sales" if path.endswith("/sales") else path.split("/")[-1]
        text = json.dumps(answers.get(name, {})).encode()
        self.send_response(200 if name in answers and not path.startswith("desks/nobody/") else 404)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(text)))
        self.end_headers()
        self.wfile.write(text)

    do_GET = do_POST = answer

    def log_message(self, *arguments) -> None:
        pass


def generate(folders: dict[str, Path]) -> None:
    """Generates the clients for all descriptions that don't have clients yet."""
    mark = "generated" if GENERATORS == ALL else f"generated-{GENERATORS[0]}"
    todo = {name: folder for name, folder in folders.items() if not any((folder / it).exists() for it in ("generated", mark))}

    def one(folder: Path) -> None:
        spec = folder / "openapi.json"
        for name in ("names", "positions", "python"):
            (folder / name).mkdir(exist_ok=True)
        run = {
            "openapi-typescript": lambda: sh(BIN / "openapi-typescript", spec, "--output", folder / "names/schema.d.ts", cwd=WORK),
            "openapi-typescript-codegen": lambda: sh(BIN / "openapi", "--input", spec, "--output", folder / "positions/client", cwd=WORK),
            "openapi-python-client": lambda: sh("openapi-python-client", "generate", "--path", spec, "--meta", "none", "--overwrite", cwd=folder / "python"),
        }
        for generator, outcome in ((it, run[it]()) for it in run if it in GENERATORS):
            if outcome.returncode:
                print(generator, folder.name, outcome.stdout[-500:], outcome.stderr[-500:])
        # Adds the file extension that Node requires to the imports.
        for file in (folder / "positions/client").rglob("*.ts"):
            text = re.sub(r"(from '\.[^']*)'", r"\1.js'", file.read_text())
            file.write_text(text)

    with ThreadPoolExecutor(2) as pool:
        [*pool.map(one, todo.values())]
    configs = []
    for name, folder in todo.items():
        for generator, options, output in (("java", JAVA, "java/client"), ("go", GO, "go/tickets")):
            if generator not in GENERATORS:
                continue
            config = {"generatorName": generator, "inputSpec": str(folder / "openapi.json"), "outputDir": str(folder / output), "additionalProperties": options}
            path = folder / f"{generator}.json"
            path.write_text(json.dumps(config | ({"library": "native"} if generator == "java" else {})))
            configs.append(path)
    if configs:
        must("openapi-generator-cli", "batch", "--threads", "2", *configs)
    for folder in todo.values():
        (folder / mark).touch()


def compiled(folders: dict[str, Path]) -> dict:
    """Returns, for each version and generator, the compiler's messages and the command that runs the program."""
    found: dict = {name: {} for name in folders}
    kinds = {"names": "openapi-typescript", "positions": "openapi-typescript-codegen"}
    kinds = {kind: generator for kind, generator in kinds.items() if generator in GENERATORS}
    for kind, generator in kinds.items():
        for folder in folders.values():
            (folder / kind / "program.ts").write_text((HERE / "programs" / PROGRAMS[generator]).read_text())
            (folder / "package.json").write_text('{"type": "module"}')
    with ThreadPoolExecutor(2) as pool:
        outputs = {kind: pool.submit(must, "node", HERE / "compile.mjs", *(it / kind for it in folders.values()), cwd=WORK / "npm") for kind in kinds}
    for kind, generator in kinds.items():
        output = outputs[kind].result()
        for name, folder in folders.items():
            found[name][generator] = (json.loads(output)[str(folder / kind)], ["node", folder / kind / "program.js"])
    jar = must("python", "-c", "import openapi_generator_cli as it, os; print(os.path.dirname(it.__file__), end='')") + "/openapi-generator.jar"
    path = f"{jar}:/usr/share/java/jakarta-annotation-api.jar"

    def java(name: str) -> None:
        folder = folders[name] / "java"
        found[name]["java"] = ([], ["java", "-cp", f"{folder}/classes:{path}", "Program"])
        said = folder / "javac.txt"
        if (folder / "classes/Program.class").exists() or said.exists():
            found[name]["java"][0].extend(said.read_text().splitlines() if said.exists() else [])
            return
        sources = [*folder.rglob("client/src/main/java/**/*.java"), HERE / "programs/Program.java"]
        done = sh("javac", "-proc:none", "-nowarn", "-d", folder / "classes", "-cp", path, *sources)
        if done.returncode:
            said.write_text(done.stderr)
            found[name]["java"][0].extend(done.stderr.splitlines())

    def go(name: str) -> None:
        folder = folders[name] / "go"
        done = sh("go", "build", "-o", folder / "program", ".", cwd=folder, GOFLAGS="-mod=mod", GOPROXY="off", GOTOOLCHAIN="local", GOCACHE=ROOT / "target/go")
        found[name]["go"] = (done.stderr.splitlines() if done.returncode else [], [folder / "program"])

    def go_sources(name: str) -> str:
        """Prepares the sources for the compiler, and returns a hash of their code without comments."""
        folder, text = folders[name] / "go", ""
        program = (HERE / "programs/program.go").read_text()
        (folder / "main.go").write_text(program.replace("changes/ROW", f"changes/{name}/go"))
        for file in sorted((folder / "tickets").glob("*.go")):
            # In the generated code, the constructor of Clerk has the same name as the type NewClerk.
            code = file.read_text().replace("func NewClerk(", "func MakeClerk(")
            file.write_text(code)
            text += file.name + "\n".join(line.split("//")[0].rstrip() for line in code.splitlines())
        return hashlib.sha256(text.encode()).hexdigest()

    debian = "/usr/share/gocode/src/golang.org/x"
    modules = f"require golang.org/x/oauth2 v0.3.0\n\nreplace golang.org/x/oauth2 => {debian}/oauth2\n\nreplace golang.org/x/net => {debian}/net\n"
    (WORK / "go.mod").write_text(f"module changes\n\ngo 1.21\n\n{modules}")
    with ThreadPoolExecutor(2) as pool:
        [*pool.map(java, folders if "java" in GENERATORS else [])]
        digests = {name: go_sources(name) for name in folders} if "go" in GENERATORS else {}
        first = {digest: name for name, digest in reversed(digests.items())}
        [*pool.map(go, first.values())]
        for name, digest in digests.items():
            found[name]["go"] = found[first[digest]]["go"]
    for name, folder in folders.items():
        found[name]["openapi-python-client"] = ([], ["env", f"PYTHONPATH={folder}/python", "python", HERE / "programs/program.py"])
    return found


def main() -> None:
    WORK.mkdir(parents=True, exist_ok=True)
    if not BIN.exists():
        must("npm", "install", "--silent", "--no-save", "--ignore-scripts", "--prefix", WORK / "npm", *NPM)
    if not (WORK / "node_modules").exists():
        (WORK / "node_modules").symlink_to("npm/node_modules")
    only = sys.argv[sys.argv.index("--only") + 1] if "--only" in sys.argv else ""
    table = [row for row in load() if re.search(only, row["change"]) and "before" not in row]
    answers = {"base": ANSWERS} | {row["change"]: edit(ANSWERS, row.get("answers", [])) for row in table}
    versions = {"base": BASE} | {row["change"]: edit(BASE, row["edits"]) for row in table}
    folders = {}
    for change, version in versions.items():
        text = json.dumps(version)
        name = "v" + hashlib.sha256((text + change + "".join(NPM)).encode()).hexdigest()[:12]
        (WORK / name).mkdir(exist_ok=True)
        (WORK / name / "openapi.json").write_text(text)
        folders[change] = name
    paths = {name: WORK / name for name in folders.values()}
    generate(paths)
    compilers = compiled(paths)
    server = ThreadingHTTPServer(("127.0.0.1", 0), Service)
    threading.Thread(target=server.serve_forever, daemon=True).start()

    def run(change: str, generator: str):
        messages, command = compilers[folders[change]][generator]
        if messages:
            return "compile", messages
        key = f"{folders[change]}-{generator}"
        Service.rows[key] = (answers[change], [])
        done = sh(*command, BASE_URL=f"http://127.0.0.1:{server.server_port}/{key}")
        return Service.rows[key][1], done.returncode, done.stdout, done.stderr

    def verdict(change: str, generator: str) -> str | None:
        before, after = (known[it, generator] for it in ("base", change))
        # Python isn't compiled, so missing names and arguments show up only at run time.
        if after[0] == "compile" or re.search(r"^(ImportError|ModuleNotFoundError|TypeError|AttributeError: STALLS)", after[-1], re.M):
            return "compile"
        requests = after[0] != before[0][: len(after[0])]
        return "request" if requests else "answer" if after[1:3] != before[1:3] else None

    pairs = [(change, generator) for change in versions for generator in GENERATORS]
    with ThreadPoolExecutor(3) as pool:
        known = dict(zip(pairs, pool.map(lambda pair: run(*pair), pairs)))
    for generator in GENERATORS:
        assert known["base", generator][0] != "compile" and known["base", generator][1] == 0, known["base", generator]
    found = {}
    for row in table:
        clients = {generator: verdict(row["change"], generator) for generator in GENERATORS}
        others = {generator: it for generator, it in row.get("clients", {}).items() if generator not in GENERATORS}
        merged = others | {generator: it for generator, it in clients.items() if it}
        found[row["change"]] = {generator: merged[generator] for generator in ALL if generator in merged}
    (WORK / "found.json").write_text(json.dumps({f"{a}: {b}": it for (a, b), it in known.items()}, indent=1))
    differ = [row["change"] for row in table if row.get("clients", {}) != found[row["change"]]]
    for change in differ:
        print(f"{change}: {found[change]}")
    if "--write" in sys.argv:
        lines = (HERE / "changes.yaml").read_text().splitlines()
        starts = [at for at, line in enumerate(lines) if line.startswith("- {")]
        for at, row in zip(starts, load()):
            if row["change"] in found:
                line = re.sub(r", clients: \{[^}]*\}(?=[,}])", "", lines[at])
                clients = ", ".join(f"{key}: {it}" for key, it in found[row["change"]].items())
                lines[at] = line[:-1] + f", clients: {{{clients}}}}}" if clients else line
        (HERE / "changes.yaml").write_text("\n".join(lines) + "\n")
    elif differ:
        raise SystemExit("the results differ from changes.yaml; run `clients.py --write` to update it")
    print(f"{len(table)} changes, {len(pairs)} clients")


main()
