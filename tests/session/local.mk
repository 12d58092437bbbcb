unit_tests += tests/session/test_session

tests_session_test_session_SOURCES = tests/session/test_session.c $(make_record)
tests_session_test_session_LDADD = $(TEST_LIBS)

replay_oracle = tests/session/films.c tests/session/films.h \
	tests/session/plain_fold.c tests/session/plain_fold.h \
	tests/session/random_record.c tests/session/random_record.h $(make_record)
unit_tests += tests/session/test_replay
tests_session_test_replay_SOURCES = tests/session/test_replay.c $(replay_oracle)
tests_session_test_replay_LDADD = $(TEST_LIBS)
unit_tests += tests/session/test_replay_files
tests_session_test_replay_files_SOURCES = tests/session/test_replay_files.c $(replay_oracle)
tests_session_test_replay_files_LDADD = $(TEST_LIBS)
unit_tests += tests/session/test_fold
tests_session_test_fold_SOURCES = tests/session/test_fold.c $(make_record)
tests_session_test_fold_LDADD = $(TEST_LIBS)

fuzz_targets += tests/fuzz/fuzz_replay
tests_fuzz_fuzz_replay_LDADD = $(FUZZ_LIBS)

unit_tests += tests/session/test_replay_fields
tests_session_test_replay_fields_LDADD = $(TEST_LIBS)

unit_tests += tests/session/test_session_model
tests_session_test_session_model_SOURCES = tests/session/test_session_model.c $(make_record)
tests_session_test_session_model_LDADD = $(TEST_LIBS)
