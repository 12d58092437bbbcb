EXTRA_DIST += docs/layers.txt
