# Tests of this folder: unit_tests += ..., and scripts in dist_check_SCRIPTS + TESTS.
check_PROGRAMS += tests/sandbox/drive
tests_sandbox_drive_LDADD = libcore.a $(CORE_LIBS) $(SECCOMP_LIBS)

unit_tests += tests/sandbox/test_plan
tests_sandbox_test_plan_LDADD = $(TEST_LIBS)

unit_tests += tests/sandbox/test_filter
tests_sandbox_test_filter_LDADD = $(TEST_LIBS)

dist_check_SCRIPTS += tests/sandbox/attacks.py tests/sandbox/lifetime.py
TESTS += tests/sandbox/attacks.py tests/sandbox/lifetime.py
EXTRA_DIST += tests/sandbox/lane.py tests/sandbox/probes.py tests/sandbox/tour.py

fuzz_targets += tests/fuzz/fuzz_plan
tests_fuzz_fuzz_plan_LDADD = $(FUZZ_LIBS)

unit_tests += tests/sandbox/test_reap
tests_sandbox_test_reap_LDADD = $(TEST_LIBS)

unit_tests += tests/sandbox/test_badge tests/sandbox/test_covers
tests_sandbox_test_badge_LDADD = $(TEST_LIBS)
tests_sandbox_test_covers_LDADD = $(TEST_LIBS)
