#!/bin/sh
# Each header compiles alone, and twice.
cd "${TEST_SRCDIR:-.}" || exit 1
headers=$(find core tui -name '*.h' | sort)
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
failed=

if [ -z "$TEST_CC" ]; then
	echo "1..0 # SKIP no compiler is named in TEST_CC"
	exit 0
fi
echo 1..1
for header in $headers; do
	printf '#include "config.h"\n#include "%s"\n#include "%s"\n' "$header" "$header" >"$work/alone.c"
	# TEST_CC and TEST_CFLAGS are lists of words.
	if ! $TEST_CC $TEST_CFLAGS -Werror -fsyntax-only "$work/alone.c" >"$work/errors" 2>&1; then
		sed 's/^/# /' "$work/errors"
		failed="$failed $header"
	fi
done
if [ -n "$failed" ]; then
	echo "not ok 1 - each header compiles alone, and twice, but for$failed"
else
	echo "ok 1 - each header compiles alone, and twice"
fi
