#!/bin/sh
# Functions of at most 100 lines, files of at most 600.
LC_ALL=C.UTF-8
export LC_ALL
cd "${TEST_SRCDIR:-.}" || exit 1

# verdict NUMBER TEXT FOUND
verdict()
{
	if [ -n "$3" ]; then
		printf '%s\n' "$3" | sed 's/^/# /'
		echo "not ok $1 - $2"
	else
		echo "ok $1 - $2"
	fi
}

echo 1..2
files=$(find core tui tests -name '*.[ch]' | sort)
# A definition's name and its braces stand at the beginning of a line.
found=$(awk 'FNR == 1 { name = ""; open = 0 }
	/^[A-Za-z_][A-Za-z_0-9]*\(/ { name = $0; sub(/\(.*/, "", name); start = FNR }
	/^{/ { open = 1 }
	/^}/ && open {
		if (FNR - start + 1 > 100)
			print FILENAME ":" start ": " name " has " FNR - start + 1 " lines"
		open = 0
	}' $files)
verdict 1 "no function has more than 100 lines" "$found"
found=$(wc -l $files | awk '$2 != "total" && $1 > 600 { print $2 " has " $1 " lines" }')
verdict 2 "no file has more than 600 lines" "$found"
