EXTRA_DIST += docs/layers.txt docs/ARCHITECTURE.md docs/FORMATS.md docs/SECURITY.md docs/TESTING.md
dist_man_MANS = docs/tollbridge.1
