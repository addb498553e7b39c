#!/usr/bin/env bash
# Gets the chart library of the dashboard (uPlot, MIT licence) from the npm registry: one version,
# held to its SHA-512. With npm where it is installed, else with curl. The build calls this; where
# it fails the dashboard is built without charts.
#
#   deploy/fetch-uplot.sh FOLDER        npm_config_registry=URL for another registry
set -euo pipefail
version=1.6.32
sha512=2883159c6ebccefbb95d751b0b82d010f9e1c0ec41b8bc96d401eda66e882935c89a46cb824332fa369b8cb8122cc6ac36e186cd09bf7a9ded3a4c93c6989023
folder=${1:?usage: deploy/fetch-uplot.sh FOLDER}

die() {
    echo "fetch-uplot: $*" >&2
    exit 1
}

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
archive=$work/uplot-$version.tgz
if command -v npm >/dev/null; then
    (cd "$work" && timeout 60 npm pack --silent --fetch-retries=1 "uplot@$version" >/dev/null 2>&1) ||
        die "npm could not get uplot@$version"
elif command -v curl >/dev/null; then
    registry=${npm_config_registry:-https://registry.npmjs.org}
    curl -fsS --connect-timeout 10 --max-time 60 -o "$archive" \
        "${registry%/}/uplot/-/uplot-$version.tgz" || die "curl could not get uplot $version"
else
    die "neither npm nor curl is installed"
fi

[ "$(sha512sum <"$archive" | cut -d ' ' -f 1)" = "$sha512" ] ||
    die "uplot $version is not what it should be"
tar -xzf "$archive" -C "$work" package/dist/uPlot.iife.min.js package/dist/uPlot.min.css \
    package/LICENSE
mkdir -p "$folder"
mv "$work/package/LICENSE" "$work/package/dist/uPlot.min.css" "$folder/"
mv "$work/package/dist/uPlot.iife.min.js" "$folder/"
