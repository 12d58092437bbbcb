unit_tests = tests/base/test_buf
unit_tests += tests/base/test_hash
unit_tests += tests/base/test_loop

tests_base_test_buf_LDADD = $(TEST_LIBS)
tests_base_test_hash_LDADD = $(TEST_LIBS)
tests_base_test_loop_LDADD = $(TEST_LIBS)
