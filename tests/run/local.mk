# End-to-end tests of the real programs; harness.py is what they share.
end_to_end = tests/run/test_run.py tests/run/test_hostile.py
# TESTS += $(end_to_end)
EXTRA_DIST += $(end_to_end) tests/run/harness.py

unit_tests += tests/run/test_bridge

tests_run_test_bridge_LDADD = $(TEST_LIBS)
