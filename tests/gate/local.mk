# Tests of this folder: unit_tests += ..., and scripts in dist_check_SCRIPTS + TESTS.
unit_tests += tests/gate/test_facts
tests_gate_test_facts_LDADD = $(TEST_LIBS)
unit_tests += tests/gate/test_glob
tests_gate_test_glob_LDADD = $(TEST_LIBS)
unit_tests += tests/gate/test_budget
tests_gate_test_budget_LDADD = $(TEST_LIBS)
unit_tests += tests/gate/test_schema
tests_gate_test_schema_SOURCES = tests/gate/test_schema.c tests/gate/quoted.h
tests_gate_test_schema_LDADD = $(TEST_LIBS)
unit_tests += tests/gate/test_schema_suite
tests_gate_test_schema_suite_LDADD = $(TEST_LIBS)
unit_tests += tests/gate/test_policy
tests_gate_test_policy_SOURCES = tests/gate/test_policy.c tests/gate/quoted.h \
	tests/gate/sample_facts.h
tests_gate_test_policy_LDADD = $(TEST_LIBS)
unit_tests += tests/gate/test_policy_misspelt
tests_gate_test_policy_misspelt_SOURCES = tests/gate/test_policy_misspelt.c tests/gate/quoted.h
tests_gate_test_policy_misspelt_LDADD = $(TEST_LIBS)
unit_tests += tests/gate/test_grants
tests_gate_test_grants_SOURCES = tests/gate/test_grants.c tests/gate/sample_facts.h
tests_gate_test_grants_LDADD = $(TEST_LIBS)
unit_tests += tests/gate/test_gate
tests_gate_test_gate_SOURCES = tests/gate/test_gate.c tests/gate/gate_fixture.h \
	tests/gate/sample_facts.h
tests_gate_test_gate_LDADD = $(TEST_LIBS)
unit_tests += tests/gate/test_gate_person
tests_gate_test_gate_person_SOURCES = tests/gate/test_gate_person.c tests/gate/gate_fixture.h \
	tests/gate/sample_facts.h
tests_gate_test_gate_person_LDADD = $(TEST_LIBS)
unit_tests += tests/gate/test_gate_model
tests_gate_test_gate_model_LDADD = $(TEST_LIBS)

fuzz_targets += tests/gate/fuzz_schema
tests_gate_fuzz_schema_LDADD = $(FUZZ_LIBS)
