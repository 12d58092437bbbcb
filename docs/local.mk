EXTRA_DIST += \
	docs/ARCHITECTURE.md \
	docs/FORMATS.md \
	docs/POLICY.md \
	docs/SECURITY.md \
	docs/TESTING.md \
	docs/TOOLS.md \
	docs/layers.txt
dist_man_MANS = docs/tollbridge.1
