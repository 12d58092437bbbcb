EXTRA_DIST += docs/layers.txt docs/ARCHITECTURE.md docs/POLICY.md docs/TESTING.md
