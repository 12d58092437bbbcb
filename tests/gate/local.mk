# Tests of this folder: unit_tests += ..., and scripts in dist_check_SCRIPTS + TESTS.
unit_tests += tests/gate/test_glob
tests_gate_test_glob_LDADD = $(TEST_LIBS)
unit_tests += tests/gate/test_budget
tests_gate_test_budget_LDADD = $(TEST_LIBS)
unit_tests += tests/gate/test_schema_suite
tests_gate_test_schema_suite_LDADD = $(TEST_LIBS)
