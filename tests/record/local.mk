# Sample records for the tests of all who read one.
make_record = tests/record/make_record.c tests/record/make_record.h
