#!/usr/bin/env bash
# Runs the commands that stand in the pages, against a daemon of its own, and compares what they print with
# what the page says they print (check_pages.py). Exit status 77 (skipped) without python3, curl,
# jq or openssl.
#
#   check_pages.sh ROOT RINKD PROGRAM…
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
# shellcheck source=tests/deploy/daemon.sh
. "$here/daemon.sh"
root=$1
shift
for tool in python3 curl jq openssl; do
    command -v $tool >/dev/null || {
        echo "check_pages: SKIPPED, $tool is not installed"
        exit 77
    }
done
start_rinkd "$@"
mkdir -p "$work/data/external"
echo '{"protocol": "dc3", "command": ["/bin/true", "{host}", "{port}"]}' >"$work/data/external/newsl.json"
ln -s "$1" "$(command -v curl)" "$work/programs/"

# The programs of the pages, by name.
mkdir "$work/bin"
for name in "$work"/programs/* docker docker-compose kubectl systemctl scp; do
    ln -s "$here/page_program.sh" "$work/bin/${name##*/}"
done
# A job that has ended, for those that the pages ask about.
job=$(curl -fsS "$url/v1/jobs" --json '{"kind": "match", "spec": {"a": "ai-simple", "b": "random", "pairs": 2}}' | jq .id)
until [ "$(curl -fsS "$url/v1/jobs/$job" -H 'Prefer: wait=30' | jq -r .state)" = "done" ]; do :; done
export url work programs=$work/programs
python3 "$here/check_pages.py" "$root"
