#!/bin/sh
# Every C file as clang-format would write it.
command -v clang-format >/dev/null || { echo "SKIP: no clang-format"; exit 77; }
cd "$1" || exit 1
find src include tests samples \( -name '*.c' -o -name '*.h' \) -print0 |
	xargs -0 clang-format --dry-run -Werror
