EXTRA_DIST += docs/layers.txt docs/ARCHITECTURE.md docs/TESTING.md
