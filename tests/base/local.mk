unit_tests = tests/base/test_buf

tests_base_test_buf_LDADD = $(TEST_LIBS)
