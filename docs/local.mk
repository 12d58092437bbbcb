EXTRA_DIST += docs/layers.txt docs/ARCHITECTURE.md docs/TESTING.md docs/FORMATS.md docs/SECURITY.md
