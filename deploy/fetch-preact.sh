#!/usr/bin/env bash
# Gets the component library of the dashboard: Preact (MIT licence) with its hooks and htm (Apache 2.0
# licence), in the one module that htm ships for pages without a build step. The build calls this;
# if it fails, the dashboard reports Preact as missing.
#
#   deploy/fetch-preact.sh FOLDER
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
version=3.1.1
sha512=f7cdd5ca0f0dc1413b26467a3663aaa4267eb21d5b2afda2613954933956980e490f669c2a8c5de0a5716cc9b15fff399ad7dd9c399316834a720e43180bf135
folder=${1:?usage: deploy/fetch-preact.sh FOLDER}

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
"$here/fetch-npm.sh" htm "$version" "$sha512" "$work/htm.tgz"
tar -xzf "$work/htm.tgz" -C "$work" package/preact/standalone.module.js package/LICENSE
mkdir -p "$folder"
mv "$work/package/LICENSE" "$folder/"
mv "$work/package/preact/standalone.module.js" "$folder/preact.js"
