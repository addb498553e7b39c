#!/usr/bin/env bash
# Gets the archive of one package from the npm registry and checks its SHA-512: with npm if it is
# installed, else with curl. The other fetch-*.sh call it.
#
#   deploy/fetch-npm.sh PACKAGE VERSION SHA512 ARCHIVE
#                                       npm_config_registry=URL for another registry
set -euo pipefail
package=$1
version=$2
sha512=$3
archive=$4

die() {
    echo "fetch $package: $*" >&2
    exit 1
}

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
if command -v npm >/dev/null; then
    (cd "$work" && timeout 120 npm pack --silent --fetch-retries=1 "$package@$version" >/dev/null 2>&1) ||
        die "npm could not get version $version"
elif command -v curl >/dev/null; then
    registry=${npm_config_registry:-https://registry.npmjs.org}
    curl -fsS --connect-timeout 10 --max-time 120 -o "$work/package.tgz" \
        "${registry%/}/$package/-/${package##*/}-$version.tgz" || die "curl could not get version $version"
else
    die "neither npm nor curl is installed"
fi
[ "$(sha512sum <"$work"/*.tgz | cut -d ' ' -f 1)" = "$sha512" ] ||
    die "version $version does not have the expected SHA-512"
mv "$work"/*.tgz "$archive"
