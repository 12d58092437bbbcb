# C source with comments, strings and character constants blanked out; lines stay where they are.
# A quoted include keeps its name.
BEGIN { in_comment = 0 }
/^[ \t]*#[ \t]*include/ && !in_comment { print; next }
{
	out = ""
	rest = $0
	while (rest != "") {
		if (in_comment) {
			at = index(rest, "*/")
			if (!at)
				break
			rest = substr(rest, at + 2)
			in_comment = 0
			continue
		}
		at = match(rest, /\/\/|\/\*|"|'/)
		if (!at) {
			out = out rest
			break
		}
		out = out substr(rest, 1, at - 1)
		first = substr(rest, at, 1)
		if (substr(rest, at, 2) == "//")
			break
		if (first == "/") {
			in_comment = 1
			rest = substr(rest, at + 2)
			continue
		}
		rest = substr(rest, at + 1)
		while (rest != "" && substr(rest, 1, 1) != first)
			rest = substr(rest, substr(rest, 1, 1) == "\\" ? 3 : 2)
		rest = substr(rest, 2)
		out = out first first
	}
	print out
}
