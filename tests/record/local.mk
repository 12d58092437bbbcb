# Sample records for the tests of all who read one.
make_record = tests/record/make_record.c tests/record/make_record.h

unit_tests += tests/record/test_verify

tests_record_test_verify_SOURCES = tests/record/test_verify.c $(make_record)
tests_record_test_verify_LDADD = $(TEST_LIBS)
