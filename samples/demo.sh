#!/usr/bin/env bash
# Installs what is missing, builds, and analyses the recording that ships here.
set -eu
cd "$(dirname "$0")/.."
. tests/packages.sh
need_packages "${BUILD_PACKAGES[@]}"
build=${REWAKE_BUILD:-build/release}
[ -f "$build/build.ninja" ] || meson setup "$build" --buildtype=release >/dev/null
ninja -C "$build" --quiet src/cli/rewake
echo "$build/src/cli/rewake analyze samples/oltp.dat"
exec "$build/src/cli/rewake" analyze samples/oltp.dat -o "$build/oltp.db"
