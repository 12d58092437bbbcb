# Sample records for the tests of all who read one.
make_record = tests/record/make_record.c tests/record/make_record.h tests/record/make_person.c \
	tests/record/make_model.c

unit_tests += tests/record/test_reader
unit_tests += tests/record/test_store
unit_tests += tests/record/test_verify
unit_tests += tests/record/test_verify_order
unit_tests += tests/record/test_verify_grants
tests_record_test_verify_grants_SOURCES = tests/record/test_verify_grants.c tests/record/order_cases.h \
	$(make_record)
tests_record_test_verify_grants_LDADD = $(TEST_LIBS)
unit_tests += tests/record/test_verify_person
unit_tests += tests/record/test_writer

tests_record_test_reader_SOURCES = tests/record/test_reader.c $(make_record)
tests_record_test_store_SOURCES = tests/record/test_store.c $(make_record)
tests_record_test_verify_SOURCES = tests/record/test_verify.c $(make_record)
tests_record_test_verify_order_SOURCES = tests/record/test_verify_order.c $(make_record) \
	tests/record/order_cases.h
tests_record_test_verify_person_SOURCES = tests/record/test_verify_person.c $(make_record) \
	tests/record/order_cases.h
tests_record_test_writer_SOURCES = tests/record/test_writer.c $(make_record)
tests_record_test_reader_LDADD = $(TEST_LIBS)
tests_record_test_store_LDADD = $(TEST_LIBS)
tests_record_test_verify_LDADD = $(TEST_LIBS)
tests_record_test_verify_order_LDADD = $(TEST_LIBS)
tests_record_test_verify_person_LDADD = $(TEST_LIBS)
tests_record_test_writer_LDADD = $(TEST_LIBS)

check_PROGRAMS += tests/record/print_sample
tests_record_print_sample_SOURCES = tests/record/print_sample.c $(make_record)
tests_record_print_sample_LDADD = libcore.a $(CORE_LIBS)

dist_check_SCRIPTS += tests/record/chain.py
TESTS += tests/record/chain.py

fuzz_targets += tests/fuzz/fuzz_record
tests_fuzz_fuzz_record_LDADD = $(FUZZ_LIBS)

dist_check_SCRIPTS += tests/record/commands.py tests/record/many.py
TESTS += tests/record/commands.py tests/record/many.py
