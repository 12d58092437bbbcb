# Tests of this folder: unit_tests += ..., and scripts in dist_check_SCRIPTS + TESTS.
unit_tests += tests/tui/test_client
EXTRA_DIST += tests/tui/fake_supervisor.h

tests_tui_test_client_LDADD = libtui.a $(TEST_LIBS) $(TUI_LIBS)
unit_tests += tests/tui/test_arming

tests_tui_test_arming_LDADD = libtui.a $(TEST_LIBS)
unit_tests += tests/tui/test_cmd tests/tui/test_launch

tests_tui_test_cmd_LDADD = libcmd.a libtui.a $(TEST_LIBS) $(TUI_LIBS)
tests_tui_test_launch_LDADD = libcmd.a libtui.a $(TEST_LIBS) $(TUI_LIBS)
