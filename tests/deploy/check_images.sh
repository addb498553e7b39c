#!/usr/bin/env bash
# Sizes of the images without a container engine: an image holds its root folder and nothing else, so
# this installs a build, lays out both roots (deploy/image-root.sh) and adds up their files.
#
#   check_images.sh ROOT BUILD_FOLDER
set -euo pipefail
# shellcheck source=tests/deploy/image_limits.sh
. "$(dirname "${BASH_SOURCE[0]}")/image_limits.sh"
cd "$1"
build=$2

for tool in patchelf cmake; do
    command -v "$tool" >/dev/null || {
        echo "check_images: $tool is not installed; skipped"
        exit 77
    }
done
[ -e "$build/models/networks/librinkd_torch.so" ] || {
    echo "check_images: this build has no module with libtorch; skipped"
    exit 77
}

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
DESTDIR=$work/stage cmake --install "$build" --prefix /usr/local --strip >"$work/log"
deploy/image-root.sh "$work/stage" "$work/image" >>"$work/log" || {
    cat "$work/log"
    exit 1
}

# bytes FOLDER…: prints the total size of all files, as an image holds them.
bytes() {
    find "$@" -type f -printf '%s\n' | awk '{ sum += $1 } END { print sum + 0 }'
}
failed=0
# at_most NAME BYTES LIMIT
at_most() {
    printf '%-22s %6.1f MB, at most %.1f\n' "$1" "$(($2 / 1000))e-3" "$(($3 / 1000))e-3"
    [ "$2" -le "$3" ] || failed=1
}
root=$work/image/daemon
weights=usr/local/share/rinkd/weights
ls "$root/$weights"/*.safetensors >/dev/null
at_most "shipped weights" "$(bytes "$root/$weights")" 20000000
for program in "$root"/usr/local/bin/*; do
    at_most "${program##*/}" "$(bytes "$program")" 2000000
done
at_most "image rinkd-daemon" "$(bytes "$root")" "$MOST_DAEMON_BYTES"
at_most "image rinkd" "$(bytes "$root" "$work/image/torch")" "$MOST_RINKD_BYTES"

grep -qF "\`rinkd-daemon\` has at most $((MOST_DAEMON_BYTES / 1000000)) MB, \`rinkd\` $((MOST_RINKD_BYTES / 1000000)) MB:" \
    deploy/README.md || {
    echo "check_images: deploy/README.md tells other sizes"
    failed=1
}

# The programs of the image find the weights of the image.
echo '{"profile":"dc3","seed":1,"state":{"end":0,"shot":0,"hammer":"team1",
  "scores":{"team0":[],"team1":[]},"stones":{"team0":[null,null,null,null,null,null,null,null],
  "team1":[null,null,null,null,null,null,null,null]}}}' | tr -d '\n' |
    env -u RINKD_WEIGHTS "$root/usr/local/bin/rink-search" --player rink:simulations=1000 |
    grep -q '"shot"' || failed=1
exit $failed
