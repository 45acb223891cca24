# Functions that the repository's scripts share: they install pinned tools, start and stop servers, and count
# passed and failed checks.

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
description=$root/openapi.yaml
work=$root/target/tests/$(basename "$(dirname "$(realpath "$0")")")-$(basename "$0")
rm -rf "$work" && mkdir -p "$work"
passed=0 failed=0 skipped=0 servers=()

say() { printf '%s\n' "$*"; }
pass() { passed=$((passed + 1)) && say "ok       $*"; }
fail() { failed=$((failed + 1)) && say "FAILED   $*"; }
skip() { skipped=$((skipped + 1)) && say "skipped  $*"; }

# check NAME COMMAND…: runs a check, and shows its output only if it fails.
check() {
  local name=$1 log
  shift
  log=$work/$(tr -c 'a-z0-9\n' '-' <<<"${name,,}").log
  if ("$@") >"$log" 2>&1; then pass "$name"; else fail "$name" && tail -n 60 "$log" | sed 's/^/    /'; fi
}

# show NAME COMMAND…: runs a check, and always shows its output.
show() {
  local name=$1
  shift
  say "-- $name"
  if ("$@") 2>&1 | sed 's/^/   /'; then pass "$name"; else fail "$name"; fi
}

# Stops every server that `serve` started, and prints how many checks passed and failed.
finish() {
  local status=$? pid
  for pid in "${servers[@]}"; do kill "$pid" 2>/dev/null || true; done
  for pid in "${servers[@]}"; do wait "$pid" 2>/dev/null || true; done
  [ "$status" -eq 0 ] || [ "$failed" -gt 0 ] || fail "stopped early with status $status"
  say "$passed passed, $failed failed, $skipped skipped"
  [ "$failed" -eq 0 ] || exit 1
}
trap finish EXIT
trap 'exit 130' INT
trap 'exit 143' TERM

# serve LOG COMMAND…: starts a server in the background and remembers its process id.
serve() {
  local log=$1
  shift
  "$@" >"$log" 2>&1 </dev/null &
  servers+=($!)
}

# await SECONDS COMMAND…: repeats a command until it succeeds, or until the time is up.
await() {
  local until=$((SECONDS + $1))
  shift
  until "$@" 2>/dev/null; do
    [ $SECONDS -lt $until ] || return 1
    sleep 0.2
  done
}

has() { command -v "$1" >/dev/null; }

# listening URL: succeeds if a server responds at the URL, whatever the status.
listening() { curl -s -o /dev/null --max-time 60 "$1"; }

# Starts `digital-assets sandbox`, and exports the variables that it prints. It uses a running sandbox instead
# if SANDBOX_ENV names a file with that sandbox's export lines, or if DIGITAL_ASSETS_BASE_URL is set.
# SANDBOX_URL is the address of the control routes, also if a proxy is started in front of the sandbox.
sandbox() {
  if [ -n "${SANDBOX_ENV:-}" ]; then
    . "$SANDBOX_ENV"
  elif [ -z "${DIGITAL_ASSETS_BASE_URL:-}" ]; then
    (cd "$root" && cargo build --quiet --package digital-assets-cli)
    serve "$work/sandbox.env" "${CARGO_TARGET_DIR:-$root/target}/debug/digital-assets" sandbox
    await 300 grep -q DIGITAL_ASSETS_INSTITUTION_ID "$work/sandbox.env" || { cat "$work/sandbox.env"; return 1; }
    grep '^export DIGITAL_ASSETS_' "$work/sandbox.env" >"$work/sandbox.exports"
    . "$work/sandbox.exports"
  fi
  export SANDBOX_URL=${SANDBOX_URL:-$DIGITAL_ASSETS_BASE_URL}
  listening "$DIGITAL_ASSETS_BASE_URL/" || { say "no sandbox responds at $DIGITAL_ASSETS_BASE_URL"; return 1; }
}

# operations: prints a line for each operation in openapi.yaml: operationId, method, path, tag and scopes,
# separated by tabs. Needs the tools from tests/description.
operations() { node "$root/tests/description/operations.js" "$description"; }

# debian PURPOSE…: checks that the packages in tests/debian for these purposes are installed. If some aren't,
# it names them and fails; with INSTALL_PACKAGES=1, as in .ci/run, it installs them instead.
debian() {
  local purpose package missing=''
  for purpose in "$@"; do
    for package in $(sed -n "s/^$purpose  *//p" "$root/tests/debian"); do
      dpkg --status "$package" >/dev/null 2>&1 || missing+=" $package"
    done
  done
  [ -n "$missing" ] || return 0
  if [ "${INSTALL_PACKAGES:-}" != 1 ]; then
    say "Debian packages are missing:$missing. Install them, or run this script as root with INSTALL_PACKAGES=1." >&2
    return 1
  fi
  export DEBIAN_FRONTEND=noninteractive APT_CONFIG=${APT_CONFIG:-$root/.ci/apt.conf}
  apt-get update -qq && apt-get install -y -qq --no-install-recommends $missing
}

# node_tools DIR: installs the npm packages in DIR's lock file, unless that was already done for this lock file.
node_tools() {
  local stamp=$1/node_modules/.lock
  cmp -s "$1/package-lock.json" "$stamp" && return
  (cd "$1" && npm ci --silent --ignore-scripts)
  cp "$1/package-lock.json" "$stamp"
}

# python_tools DIR: installs the packages in DIR's requirements.txt into a virtual environment, and adds it to
# PATH.
python_tools() {
  local venv=$1/.venv
  if ! cmp -s "$1/requirements.txt" "$venv/requirements.txt"; then
    python3 -m venv --clear "$venv"
    "$venv/bin/pip" install --quiet --no-deps --requirement "$1/requirements.txt"
    cp "$1/requirements.txt" "$venv/requirements.txt"
  fi
  PATH=$venv/bin:$PATH
}
