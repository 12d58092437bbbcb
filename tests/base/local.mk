unit_tests = tests/base/test_buf
unit_tests += tests/base/test_hash
unit_tests += tests/base/test_json
unit_tests += tests/base/test_jsonout
unit_tests += tests/base/test_loop
unit_tests += tests/base/test_strict
unit_tests += tests/base/test_strict_suite

tests_base_test_buf_LDADD = $(TEST_LIBS)
tests_base_test_hash_LDADD = $(TEST_LIBS)
tests_base_test_json_LDADD = $(TEST_LIBS)
tests_base_test_jsonout_LDADD = $(TEST_LIBS)
tests_base_test_loop_LDADD = $(TEST_LIBS)
tests_base_test_strict_LDADD = $(TEST_LIBS)
tests_base_test_strict_suite_LDADD = $(TEST_LIBS)
