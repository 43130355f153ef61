. "$1"
PATH=.:$PATH
offers() {
	COMP_WORDS=("$REWAKE" "$@")
	COMP_CWORD=$#
	_rewake "$REWAKE"
	printf '%s:' "$*"
	printf '%s\n' "${COMPREPLY[@]}" | sort | tr '\n' ' ' | sed 's/^/ /; s/ *$/\n/'
}
offers re
offers --v
offers frobnicate ''
offers record --m
offers record --probe = ''
offers record --probe =
offers record --probe h
offers record --probe = h
offers record -o x --probe = h
offers record --cpu = ''
offers record -- only-h
offers record only-h
offers record only-here run.da
offers record -o x -- only-here run.da
offers import ru
offers import -m run.db run.
offers replay run.db -p vag
offers replay run.db -p ./mi
offers replay run.db --policy = vag
offers replay run.db -p linux,mig
offers replay run.db -p linux,scan = full,mig
offers replay run.db -p linux,scan =
offers replay run.db --policy = linux,scan = full,mig
offers replay run.db -p linux,scan = full -p vag
offers replay run.db --mode = cal -p gor
offers report ru
offers report run.db la
offers report -f js
offers report -f json run.db su
offers report run.db summary ''
offers policies sis-sy
offers explain --kernel = vag
offers schema --
offers help du
