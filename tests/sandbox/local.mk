# Tests of this folder: unit_tests += ..., and scripts in dist_check_SCRIPTS + TESTS.
