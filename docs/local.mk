EXTRA_DIST += \
	docs/ARCHITECTURE.md \
	docs/FORMATS.md \
	docs/POLICY.md \
	docs/SECURITY.md \
	docs/TESTING.md \
	docs/TOOLS.md \
	docs/layers.txt \
	docs/pictures/approval.svg \
	docs/pictures/grant.svg \
	docs/pictures/make.py \
	docs/pictures/program.svg \
	docs/pictures/replay.svg \
	docs/pictures/runs.svg
dist_man_MANS = docs/tollbridge.1
