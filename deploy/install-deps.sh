#!/usr/bin/env bash
# Installs the Debian 12 packages that rinkd needs and that are missing; does nothing when all are
# there. Works as root on a bare machine and in a container build, and with sudo as another user.
#
#   deploy/install-deps.sh                  everything
#   deploy/install-deps.sh --build --run    some groups only, any of --build --test --run, and
#                                           --contract and --browser, which everything does
#                                           not include
#   deploy/install-deps.sh --list …         print the packages of these groups and install nothing
set -euo pipefail

# group  package  # why
packages() {
    sed 's/#.*//' <<'LIST'
build gcc                  # C17 compiler
build g++                  # C++17 compiler for the shims over Box2D and libtorch
build libc6-dev            # C headers; gcc only recommends them
build cmake                # build description
build ninja-build          # build runner of the presets
build pkg-config           # finds the libraries below
build libjansson-dev       # JSON
build libsqlite3-dev       # the database of the service
build libmicrohttpd-dev    # HTTP of the service and of rink-compete host
build libgnutls28-dev      # its TLS
build libuv1-dev           # loop, child processes and timers of the service
build libsodium-dev        # tokens and hashes of the service
build libunistring-dev     # names in any script: normal form, width in tables
build zlib1g-dev           # answers of the service, compressed
build libcurl4-openssl-dev # HTTP of rinkctl, rink-node, rink-post and rink-compete
build curl                 # gets the libraries of the dashboard (deploy/fetch-*.sh)
build ca-certificates      # … and knows that it talks to the registry
build libbox2d-dev         # rigid bodies of the reference engine
build librandom123-dev     # counter-based random numbers; headers only
build libtorch-dev         # large networks

test  ccache               # the builds share what they compile
test  git                  # lists the files of the checkout for the structure tests
test  libcmocka-dev        # unit test library
test  clang                # second compiler, and the fuzz targets
test  libclang-rt-14-dev   # fuzzer and sanitizer run-time of clang; clang only recommends it
test  clang-format         # layout of the code
test  shellcheck           # lint of the scripts
test  prometheus           # promtool, for figures, alerts and the queries of the dashboard
test  faketime             # sets the clock of a daemon
test  sqlite3              # tests/deploy/alerts.sh makes a message of a webhook older
test  systemd              # systemd-analyze, for the unit file
test  python3              # the example for Python
test  patchelf             # lays out the roots of the images (deploy/image-root.sh)
test  docker-compose       # reads deploy/compose.yaml; no engine comes with it
test  beanstalkd           # the queue that tests/bench/accept.c compares with

contract nodejs            # tools of tests/contract: npm alone brings 300 packages, and they come from
contract npm               # the network

browser nodejs             # tests/browser
browser npm                # gets playwright-core, axe-core, eslint and prettier
browser chromium           # the browser
browser fonts-dejavu-core  # letters; chromium only recommends some

run   libjansson4          # JSON
run   libsqlite3-0         # the database of the service
run   libmicrohttpd12      # HTTP of the service and of rink-compete host
run   libgnutls30          # its TLS
run   libuv1               # loop, child processes and timers of the service
run   libsodium23          # tokens and hashes of the service
run   libunistring2        # names in any script: normal form, width in tables
run   zlib1g               # answers of the service, compressed
run   libcurl4             # HTTP of rinkctl, rink-node, rink-post and rink-compete
run   ca-certificates      # of those who receive messages of webhooks
run   libbox2d2            # rigid bodies of the reference engine
run   libtorch1.13         # large networks
run   libblis4-serial      # matrix products: 14 times as fast as the reference BLAS, which apt would
                           # choose for libtorch by itself, and as fast as OpenBLAS, which is larger;
                           # on a machine that has OpenBLAS too, Debian takes that one
run   liblapack3           # the rest of linear algebra for libtorch
run   curl                 # deploy/quickstart.sh asks the daemon with it
run   jq                   # deploy/quickstart.sh reads the answers with it
LIST
}

usage() {
    sed -n '2,/^set -/{/^set -/d;s/^# \{0,1\}//;p}' "${BASH_SOURCE[0]}"
}

die() {
    echo "install-deps: $*" >&2
    exit 1
}

groups=()
list_only=false
for argument in "$@"; do
    case $argument in
    --build | --test | --run | --contract | --browser) groups+=("${argument#--}") ;;
    --list) list_only=true ;;
    --help | -h) usage && exit 0 ;;
    *) usage >&2 && die "unknown argument: $argument" ;;
    esac
done
[ ${#groups[@]} -gt 0 ] || groups=(build test run)

wanted=$(packages | awk -v groups=" ${groups[*]} " \
    'NF == 2 && index(groups, " " $1 " ") && !seen[$2]++ { print $2 }')
if $list_only; then
    printf '%s\n' "$wanted"
    exit 0
fi

# shellcheck source=/dev/null
system=$(. /etc/os-release 2>/dev/null && echo "${ID:-} ${VERSION_ID:-}") || true
[ "$system" = "debian 12" ] ||
    die "needs Debian 12 (bookworm); this is '${system:-an unknown system}'." \
        "Install the equivalents of: ${wanted//$'\n'/ }"

missing=()
for package in $wanted; do
    # Third-party Node.js packages include npm and conflict with Debian's.
    if [ "$package" = npm ] && command -v npm >/dev/null; then
        continue
    fi
    status=$(dpkg-query -W -f '${db:Status-Abbrev}' "$package" 2>/dev/null) || true
    [ "${status% }" = "ii" ] || missing+=("$package")
done
if [ ${#missing[@]} -eq 0 ]; then
    echo "install-deps: nothing missing (${groups[*]})"
    exit 0
fi

as_root=()
if [ "$(id -u)" -ne 0 ]; then
    command -v sudo >/dev/null ||
        die "not root and no sudo; ask an administrator to install: ${missing[*]}"
    as_root=(sudo)
fi
apt_get() {
    "${as_root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get -q -o DPkg::Lock::Timeout=300 "$@" \
        </dev/null
}

# Packages that include a server are needed only for their programs: a unit masked before it is
# installed starts neither now nor at the next boot. (systemctl unmask undoes this.)
for package in "${missing[@]}"; do
    case $package in
    prometheus | beanstalkd)
        "${as_root[@]}" mkdir -p /etc/systemd/system
        [ -e "/etc/systemd/system/$package.service" ] ||
            "${as_root[@]}" ln -s /dev/null "/etc/systemd/system/$package.service"
        ;;
    esac
done

echo "install-deps: installing ${missing[*]}"
apt_get update
apt_get install -y --no-install-recommends "${missing[@]}"
