#!/usr/bin/env bash
# Gets the chart library of the dashboard (uPlot, MIT licence). The build calls this; if it fails,
# the dashboard is built without charts.
#
#   deploy/fetch-uplot.sh FOLDER
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
version=1.6.32
sha512=2883159c6ebccefbb95d751b0b82d010f9e1c0ec41b8bc96d401eda66e882935c89a46cb824332fa369b8cb8122cc6ac36e186cd09bf7a9ded3a4c93c6989023
folder=${1:?usage: deploy/fetch-uplot.sh FOLDER}

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
"$here/fetch-npm.sh" uplot "$version" "$sha512" "$work/uplot.tgz"
tar -xzf "$work/uplot.tgz" -C "$work" package/dist/uPlot.iife.min.js package/dist/uPlot.min.css \
    package/LICENSE
mkdir -p "$folder"
mv "$work/package/LICENSE" "$work/package/dist/uPlot.min.css" "$folder/"
mv "$work/package/dist/uPlot.iife.min.js" "$folder/"
