# Tests of this folder: unit_tests += ..., and scripts in dist_check_SCRIPTS + TESTS.
tools_tests = tests/tools/test_runner.py tests/tools/test_worker.py
dist_check_SCRIPTS += $(tools_tests)
TESTS += $(tools_tests)
EXTRA_DIST += tests/tools/guest_host.py tests/tools/sample_helper.py tests/tools/sample_tools.py \
	tests/tools/tap.py tests/tools/worker_host.py tests/tools/bench_python.py
BENCHES += tests/tools/bench_python.py

unit_tests += tests/tools/test_python_name tests/tools/test_registry tests/tools/test_tool_python \
	tests/tools/test_worker_line
tests_tools_test_python_name_LDADD = $(TEST_LIBS)
tests_tools_test_registry_LDADD = $(TEST_LIBS)
tests_tools_test_tool_python_LDADD = $(TEST_LIBS)
EXTRA_DIST += tests/tools/names.txt tests/tools/workshop.h
tests_tools_test_worker_line_LDADD = $(TEST_LIBS)

fuzz_targets += tests/fuzz/fuzz_worker_line
tests_fuzz_fuzz_worker_line_LDADD = $(FUZZ_LIBS)
