#!/bin/sh
# What reads the source without running it: clang-format, cppcheck, shellcheck.  Run by `make lint` in
# the build tree; leaves lint.log, and lint.trs with results as automake's test drivers write them.
source=${TEST_SRCDIR:-.}
build=$(pwd)
results=$build/lint.trs
log=$build/lint.log
failed=0
: >"$results"
: >"$log"

# result PASS|FAIL|SKIP TEXT
result()
{
	echo ":test-result: $1 $2" >>"$results"
	echo "$1: lint: $2" | tee -a "$log"
	[ "$1" != FAIL ] || failed=1
}

# tool NAME WHAT COMMAND...
tool()
{
	name=$1
	what=$2
	shift 2
	if ! command -v "$name" >/dev/null 2>&1; then
		result SKIP "$what # SKIP $name is not installed"
	elif "$@" >>"$log" 2>&1; then
		result PASS "$what"
	else
		result FAIL "$what"
	fi
}

cd "$source" || exit 1
sources=$(find core tui tests -name '*.[ch]' | sort)
scripts=$(find tests examples -name '*.sh' | sort)
# The lists are lists of words.
# shellcheck disable=SC2086
{
	tool clang-format "the sources are formatted as .clang-format says" \
		clang-format --dry-run -Werror $sources
	tool cppcheck "cppcheck has nothing to say" \
		cppcheck --quiet -j2 --std=c11 --library=posix --inline-suppr --error-exitcode=1 \
		--enable=warning,portability,performance --suppress=missingInclude \
		--suppress=missingIncludeSystem --suppressions-list=tests/cppcheck.txt \
		-I. -I"$build" core tui
	tool shellcheck "shellcheck has nothing to say" \
		shellcheck --severity=warning bootstrap.sh .ci/run $scripts
}
[ $failed -eq 0 ] || cat "$log"
exit $failed
