EXTRA_DIST += docs/layers.txt docs/ARCHITECTURE.md docs/POLICY.md docs/TESTING.md
dist_man_MANS = docs/tollbridge.1
