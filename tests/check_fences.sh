#!/bin/sh
# Libraries are used behind one module each.
LC_ALL=C
export LC_ALL
cd "${TEST_SRCDIR:-.}" || exit 1
number=0

# fence WHAT HEADERS FILES: only FILES (a pattern) include HEADERS (a pattern).
fence()
{
	number=$((number + 1))
	found=$(find core tui -name '*.[ch]' -exec grep -HnE "^[ 	]*#[ 	]*include[ 	]*[<\"]($2)" {} + |
		grep -vE "^($3):")
	name="$1 is included by $(printf %s "$3" | tr -d '\\') alone"
	if [ -n "$found" ]; then
		printf '%s\n' "$found" | sed 's/^/# /'
		echo "not ok $number - $name"
	else
		echo "ok $number - $name"
	fi
}

echo 1..8
fence curses 'n?curses|term\.h|panel\.h|menu\.h|form\.h' 'tui/frames\.c'
fence libevent 'event2?[/.]|ev[a-z]*\.h' 'core/base/loop\.c'
fence libseccomp 'seccomp\.h' 'core/sandbox/filter\.c'
fence libcrypto 'openssl/' 'core/base/hash\.c|core/record/keys\.c'
fence utf8proc 'utf8proc' 'core/base/(names|text[a-z_]*)\.c'
fence pcre2 'pcre2' 'core/gate/pattern\.c'
fence libcurl 'curl/' 'core/net/http\.c|core/model/retry\.c'
fence jansson 'jansson' 'core/model/[a-z_]*\.[ch]'
