unit_tests += tests/session/test_session

tests_session_test_session_SOURCES = tests/session/test_session.c $(make_record)
tests_session_test_session_LDADD = $(TEST_LIBS)
unit_tests += tests/session/test_fold
tests_session_test_fold_SOURCES = tests/session/test_fold.c $(make_record)
tests_session_test_fold_LDADD = $(TEST_LIBS)
