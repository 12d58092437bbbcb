# Tests of this folder: unit_tests += ..., and scripts in dist_check_SCRIPTS + TESTS.
unit_tests += tests/tui/test_client
EXTRA_DIST += tests/tui/fake_supervisor.h

tests_tui_test_client_LDADD = libtui.a $(TEST_LIBS) $(TUI_LIBS)
unit_tests += tests/tui/test_arming

tests_tui_test_arming_LDADD = libtui.a $(TEST_LIBS)
unit_tests += tests/tui/test_cmd tests/tui/test_launch

tests_tui_test_cmd_LDADD = libcmd.a libtui.a $(TEST_LIBS) $(TUI_LIBS)
tests_tui_test_launch_LDADD = libcmd.a libtui.a $(TEST_LIBS) $(TUI_LIBS)
tui_sample = tests/tui/sample.c tests/tui/sample.h $(make_record)
unit_tests += tests/tui/test_document

tests_tui_test_document_SOURCES = tests/tui/test_document.c $(tui_sample)
tests_tui_test_document_LDADD = libtui.a $(TEST_LIBS) $(TUI_LIBS)
unit_tests += tests/tui/test_views

tests_tui_test_views_SOURCES = tests/tui/test_views.c $(tui_sample)
tests_tui_test_views_LDADD = libtui.a $(TEST_LIBS) $(TUI_LIBS)
unit_tests += tests/tui/test_follow
tests_tui_test_follow_LDADD = libcmd.a libtui.a $(TEST_LIBS) $(TUI_LIBS)
TESTS += tests/tui/console.py tests/tui/editing.py tests/tui/manners.py tests/tui/asking.py tests/tui/asking_program.py tests/tui/modelled.py tests/tui/many_runs.py
EXTRA_DIST += tests/tui/console.py tests/tui/editing.py tests/tui/manners.py tests/tui/asking.py tests/tui/asking_program.py tests/tui/modelled.py tests/tui/many_runs.py

unit_tests += tests/tui/test_diff
tests_tui_test_diff_LDADD = libtui.a $(TEST_LIBS) $(TUI_LIBS)
unit_tests += tests/tui/test_program
tests_tui_test_program_SOURCES = tests/tui/test_program.c $(tui_sample)
tests_tui_test_program_LDADD = libtui.a $(TEST_LIBS) $(TUI_LIBS)
unit_tests += tests/tui/test_header
tests_tui_test_header_SOURCES = tests/tui/test_header.c $(tui_sample)
tests_tui_test_header_LDADD = libtui.a $(TEST_LIBS) $(TUI_LIBS)
unit_tests += tests/tui/test_model_screens tests/tui/test_screens tests/tui/test_find tests/tui/test_calls
tests_tui_test_calls_SOURCES = tests/tui/test_calls.c $(tui_sample)
tests_tui_test_calls_LDADD = libtui.a $(TEST_LIBS) $(TUI_LIBS)
tests_tui_test_screens_SOURCES = tests/tui/test_screens.c $(tui_sample)
tests_tui_test_model_screens_SOURCES = tests/tui/test_model_screens.c $(tui_sample)
tests_tui_test_model_screens_LDADD = libtui.a $(TEST_LIBS) $(TUI_LIBS)
tests_tui_test_screens_LDADD = libtui.a $(TEST_LIBS) $(TUI_LIBS)
tests_tui_test_find_LDADD = libtui.a $(TEST_LIBS) $(TUI_LIBS)

# Parts of the screen; pictures in tests/tui/golden (TOLLBRIDGE_GOLDEN=write makes them anew).
screen_tests = tests/tui/test_canvas tests/tui/test_keys tests/tui/test_keymap \
	tests/tui/test_theme tests/tui/test_parts tests/tui/test_pager tests/tui/test_code \
	tests/tui/test_term
unit_tests += $(screen_tests)
EXTRA_DIST += tests/tui/golden tests/tui/golden.h
SCREEN_LIBS = libtui.a $(TEST_LIBS) $(TUI_LIBS)
tests_tui_test_canvas_LDADD = $(SCREEN_LIBS)
tests_tui_test_keys_LDADD = $(SCREEN_LIBS)
tests_tui_test_keymap_LDADD = $(SCREEN_LIBS)
tests_tui_test_theme_LDADD = $(SCREEN_LIBS)
tests_tui_test_parts_LDADD = $(SCREEN_LIBS)
tests_tui_test_pager_LDADD = $(SCREEN_LIBS)
tests_tui_test_code_LDADD = $(SCREEN_LIBS)

fuzz_targets += tests/fuzz/fuzz_keys
tests_fuzz_fuzz_keys_LDADD = libtui.a $(FUZZ_LIBS)
tests_tui_test_term_LDADD = $(SCREEN_LIBS)
unit_tests += tests/tui/test_runs
tests_tui_test_runs_SOURCES = tests/tui/test_runs.c $(tui_sample)
tests_tui_test_runs_LDADD = libtui.a $(TEST_LIBS) $(TUI_LIBS)

# Records as films.
unit_tests += tests/tui/test_film tests/tui/test_replay_screens
tests_tui_test_replay_screens_SOURCES = tests/tui/test_replay_screens.c $(tui_sample)
tests_tui_test_replay_screens_LDADD = libtui.a $(TEST_LIBS) $(TUI_LIBS)
tests_tui_test_film_LDADD = libtui.a $(TEST_LIBS) $(TUI_LIBS)
TESTS += tests/tui/replay.py
EXTRA_DIST += tests/tui/replay.py
unit_tests += tests/tui/test_app_model
tests_tui_test_app_model_SOURCES = tests/tui/test_app_model.c $(tui_sample)
tests_tui_test_app_model_LDADD = libtui.a $(TEST_LIBS) $(TUI_LIBS)
unit_tests += tests/tui/test_sheets
tests_tui_test_sheets_SOURCES = tests/tui/test_sheets.c $(tui_sample)
tests_tui_test_sheets_LDADD = libtui.a $(TEST_LIBS) $(TUI_LIBS)
unit_tests += tests/tui/test_pane
tests_tui_test_pane_SOURCES = tests/tui/test_pane.c $(tui_sample)
tests_tui_test_pane_LDADD = libtui.a $(TEST_LIBS) $(TUI_LIBS)
unit_tests += tests/tui/test_pretty
tests_tui_test_pretty_LDADD = libtui.a $(TEST_LIBS) $(TUI_LIBS)
