#!/usr/bin/env bash
# Gets esbuild (MIT licence), which bundles the scripts of the dashboard: one static program, no Node.js.
# The build calls this; if it fails, or on another processor, the scripts are served one by one.
#
#   deploy/fetch-esbuild.sh FOLDER
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
version=0.28.2
folder=${1:?usage: deploy/fetch-esbuild.sh FOLDER}
case $(uname -m) in
x86_64)
    package=@esbuild/linux-x64
    sha512=e314d9af5154992a105b85c85a68addedcd0ad44d933e3773f45d5f3144e298179d177c8ef178ef74fb56d9bcdc3122e7d0f610d0551247e588603d517c03f1d
    ;;
aarch64)
    package=@esbuild/linux-arm64
    sha512=a56e000b43f78adf1cedda3d315338a79d45cc7cdd33f4d9adeaeeae045c1c9d964dad55435088ab5f319dc7e9049c38a23922659aca5b6c8805604ff768fa52
    ;;
*)
    echo "fetch esbuild: no program for $(uname -m)" >&2
    exit 1
    ;;
esac

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
"$here/fetch-npm.sh" "$package" "$version" "$sha512" "$work/esbuild.tgz"
tar -xzf "$work/esbuild.tgz" -C "$work" package/bin/esbuild
mkdir -p "$folder"
mv "$work/package/bin/esbuild" "$folder/"
