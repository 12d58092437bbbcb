# End-to-end tests of the real programs; harness.py is what they share.
end_to_end = tests/run/test_run.py tests/run/test_hostile.py tests/run/test_person.py tests/run/test_grants.py tests/run/test_raise.py \
	tests/run/test_programs.py
TESTS += $(end_to_end)
EXTRA_DIST += $(end_to_end) tests/run/harness.py

unit_tests += tests/run/test_bridge

tests_run_test_bridge_LDADD = $(TEST_LIBS)
# Tests of this folder: unit_tests += ..., and scripts in dist_check_SCRIPTS + TESTS.
unit_tests += tests/run/test_configuration
unit_tests += tests/run/test_configuration_errors
fuzz_targets += tests/fuzz/fuzz_config
EXTRA_DIST += tests/run/scratch.h

tests_run_test_configuration_LDADD = $(TEST_LIBS)
tests_run_test_configuration_errors_LDADD = $(TEST_LIBS)
tests_fuzz_fuzz_config_LDADD = $(FUZZ_LIBS)
unit_tests += tests/run/test_acceptance
tests_run_test_acceptance_LDADD = $(TEST_LIBS)

fuzz_targets += tests/fuzz/fuzz_bridge
tests_fuzz_fuzz_bridge_LDADD = $(FUZZ_LIBS)
TESTS += tests/run/check_manual.py
EXTRA_DIST += tests/run/check_manual.py
TESTS += tests/run/test_commands.py
EXTRA_DIST += tests/run/test_commands.py
