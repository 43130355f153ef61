#!/bin/sh
# Nothing unfinished by its own word, and no function or file that outgrew its subject.
cd "$1" || exit 1
if grep -rnIE '\b(TODO|FIXME|XXX|unimplemented)\b' src include sql samples; then
	echo "unfinished by its own word"
	exit 1
fi
find src -name '*.c' -exec wc -l {} + | awk '$2 != "total" && $1 > 700 {print; bad = 1} END {exit bad}' || {
	echo "more than 700 lines: is it still one subject?"
	exit 1
}
echo "words: ok"
