unit_tests += tests/model/test_extract
tests_model_test_extract_LDADD = $(TEST_LIBS)
unit_tests += tests/model/test_lines
tests_model_test_lines_LDADD = $(TEST_LIBS)
unit_tests += tests/model/test_sse
tests_model_test_sse_LDADD = $(TEST_LIBS)
unit_tests += tests/model/test_payload
tests_model_test_payload_LDADD = $(TEST_LIBS)
unit_tests += tests/model/test_wire
tests_model_test_wire_SOURCES = tests/model/test_wire.c tests/model/reading.h
tests_model_test_wire_LDADD = $(TEST_LIBS)
unit_tests += tests/model/test_wire_rules
tests_model_test_wire_rules_SOURCES = tests/model/test_wire_rules.c tests/model/reading.h
tests_model_test_wire_rules_LDADD = $(TEST_LIBS)
unit_tests += tests/model/test_wire_formats
tests_model_test_wire_formats_SOURCES = tests/model/test_wire_formats.c tests/model/reading.h
tests_model_test_wire_formats_LDADD = $(TEST_LIBS)

TESTS += tests/model/models.py tests/model/prompt.py
EXTRA_DIST += tests/model/models.py tests/model/prompt.py tests/model/server.py tests/model/golden
EXTRA_DIST += tests/model/local.mk tests/model/wire_streams.def

fuzz_targets += tests/fuzz/fuzz_wire
tests_fuzz_fuzz_wire_LDADD = $(FUZZ_LIBS)

# Run by ./bootstrap.sh check --peers, which installs them.
EXTRA_DIST += tests/peers/mocks.py tests/peers/package.json
