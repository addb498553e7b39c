#!/usr/bin/env bash
# From a fresh Debian 12 machine to stones on the ice: installs what is missing, builds the optimised
# programs, and plays a game of eight ends with rink-simulate.
#
#   deploy/quickstart.sh [SEED]      another seed is another game; the same seed is the same game
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

deploy/install-deps.sh --build --run
cmake --preset release -DBUILD_TESTING=OFF
cmake --build --preset release
deploy/demo_game.sh build/release/workers/simulate/rink-simulate "${1:-1}"
