#!/bin/sh
# Calls that do not occur.  Comments and strings are not looked at.
LC_ALL=C
export LC_ALL
cd "${TEST_SRCDIR:-.}" || exit 1
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
number=0

for file in $(find core tui -name '*.[ch]' | sort); do
	awk -f tests/code.awk "$file" | awk -v file="$file" '{ print file ":" NR ": " $0 }'
done >"$work/code"

# banned WHAT CALLS [FILES]: the functions CALLS (a pattern) are called in FILES (a pattern) at most.
banned()
{
	number=$((number + 1))
	found=$(grep -E "(^|[^A-Za-z0-9_>.])($2)[ 	]*\(" "$work/code" | grep -vE "^(${3:-none}):")
	if [ -n "$found" ]; then
		printf '%s\n' "$found" | sed 's/^/# /'
		echo "not ok $number - $1"
	else
		echo "ok $number - $1"
	fi
}

echo 1..5
banned "nothing writes without a bound" 'strcpy|stpcpy|strcat|sprintf|vsprintf|gets'
banned "no shell is started, no name guessed" 'system|popen|tmpnam|tempnam|mktemp'
banned "the stack has no parts of unknown size" 'alloca|strdupa|strndupa'
banned "memory comes from mem.h" \
	'malloc|calloc|realloc|reallocarray|strdup|strndup|asprintf|vasprintf' 'core/base/mem\.c'
banned "no text reaches a curses string function" \
	'(mv)?w?add(n?w?str|chn?str)|(mv)?w?ins_?n?w?str|(mv)?(vw_?|w)?printw'
