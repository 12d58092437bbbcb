#!/bin/sh
# Holds the includes of core and tui against docs/layers.txt, a module being a .c and .h together.
LC_ALL=C
export LC_ALL
cd "${TEST_SRCDIR:-.}" || exit 1
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT

# verdict NUMBER TEXT: failed when $work/found holds anything.
verdict()
{
	if [ -s "$work/found" ]; then
		sed 's/^/# /' "$work/found"
		echo "not ok $1 - $2"
	else
		echo "ok $1 - $2"
	fi
	: >"$work/found"
}

find core tui -name '*.[ch]' | sort >"$work/files"
sed -n 's/^\([0-9][0-9]*\)[ 	][ 	]*\([a-z_/0-9]*\)[ 	]*$/\1 \2/p' docs/layers.txt >"$work/ranks"
while read -r file; do
	sed -n 's/^[ 	]*#[ 	]*include[ 	]*"\([^"]*\)".*/\1/p' "$file" | sed "s|^|$file |"
done <"$work/files" >"$work/includes"

echo 1..6
grep -vE '^(#|[0-9]+ [a-z_/0-9]+$|$)' docs/layers.txt >"$work/found"
cut -d' ' -f2 "$work/ranks" | sort | uniq -d >>"$work/found"
verdict 1 "docs/layers.txt reads: a rank and a module a line, each module once"

awk 'NR == FNR { rank[$2] = $1; next }
	{ sub(/\.[ch]$/, ""); if (!($0 in rank)) print $0 " has no rank" }' \
	"$work/ranks" "$work/files" | sort -u >"$work/found"
verdict 2 "every module has a rank"

while read -r rank module; do
	[ -e "$module.c" ] || [ -e "$module.h" ] || echo "$module ($rank) does not exist"
done <"$work/ranks" >"$work/found"
verdict 3 "every rank is that of a module"

awk '$2 != "config.h" && $2 !~ /^(core|tui)\// { print $1 " includes \"" $2 "\"" }' \
	"$work/includes" >"$work/found"
verdict 4 "includes are spelled from the top folder"

awk 'NR == FNR { rank[$2] = $1; next }
	{ from = $1; to = $2; sub(/\.[ch]$/, "", from) }
	!sub(/\.[ch]$/, "", to) || from == to { next }
	!(from in rank) || !(to in rank) { next }
	rank[to] >= rank[from] { print $1 " (" rank[from] ") includes " $2 " (" rank[to] ")" }' \
	"$work/ranks" "$work/includes" >"$work/found"
verdict 5 "a module includes only modules of a smaller rank"

grep -E '^core/[^ ]* tui/' "$work/includes" >"$work/found"
verdict 6 "core never includes tui"
