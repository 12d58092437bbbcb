#!/bin/sh
# A variable that is cleaned up when its scope ends (AUTO_...) holds something from the start: there is
# no way out of the function between its declaration and its first use.
LC_ALL=C
export LC_ALL
cd "${TEST_SRCDIR:-.}" || exit 1

echo 1..1
found=$(for file in $(find core tui tests -name '*.[ch]' | sort); do
	awk -f tests/code.awk "$file" | awk -v file="$file" '
		/^}/ { split("", waits) }
		/(^|[ 	])AUTO_[A-Z]+ / {
			if ($0 ~ /;[ 	]*$/ && $0 !~ /=/ && $0 !~ /#/) {
				name = $0
				sub(/(\[[^]]*\])?;[ 	]*$/, "", name)
				sub(/.*[ 	*]/, "", name)
				waits[name] = NR
				next
			}
		}
		{
			for (name in waits)
				if ($0 ~ "(^|[^A-Za-z0-9_])" name "($|[^A-Za-z0-9_])")
					delete waits[name]
			if ($0 ~ /(^|[^A-Za-z0-9_])(return|goto|break|continue)($|[^A-Za-z0-9_])/)
				for (name in waits)
					print file ":" waits[name] ": " name " holds nothing when line " NR " leaves"
		}'
done)
if [ -n "$found" ]; then
	printf '%s\n' "$found" | sed 's/^/# /'
	echo "not ok 1 - what is cleaned up by scope is set before any way out"
else
	echo "ok 1 - what is cleaned up by scope is set before any way out"
fi
