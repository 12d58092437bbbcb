# Fuzz targets: built with --enable-fuzzers (clang); `make fuzz` runs each for FUZZ_SECONDS.
