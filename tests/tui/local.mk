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
EXTRA_DIST += \
	tests/tui/pictures/approval-armed-80x22.txt \
	tests/tui/pictures/approval-blocked-80x22.txt \
	tests/tui/pictures/approval-cut-120x24.txt \
	tests/tui/pictures/approval-quiet-80x22.txt \
	tests/tui/pictures/approval-reason-80x22.txt \
	tests/tui/pictures/calls-38x8.txt \
	tests/tui/pictures/calls-58x8.txt \
	tests/tui/pictures/calls-78x8.txt \
	tests/tui/pictures/detail-80x20.txt \
	tests/tui/pictures/document-hostile.txt \
	tests/tui/pictures/document-plain.txt \
	tests/tui/pictures/explain-80x12.txt \
	tests/tui/pictures/header-120.txt \
	tests/tui/pictures/header-40.txt \
	tests/tui/pictures/header-80.txt \
	tests/tui/pictures/help-calls-78x20.txt \
	tests/tui/pictures/leave-60x3.txt \
	tests/tui/pictures/outcome-60.txt \
	tests/tui/pictures/output-40x6.txt \
	tests/tui/pictures/program-40x8.txt \
	tests/tui/pictures/program-70x14.txt \
	tests/tui/pictures/program-follows-40x4.txt \
	tests/tui/pictures/program-top-40x4.txt
unit_tests += tests/tui/test_views

tests_tui_test_views_SOURCES = tests/tui/test_views.c $(tui_sample)
tests_tui_test_views_LDADD = libtui.a $(TEST_LIBS) $(TUI_LIBS)
unit_tests += tests/tui/test_follow
tests_tui_test_follow_LDADD = libcmd.a libtui.a $(TEST_LIBS) $(TUI_LIBS)
TESTS += tests/tui/console.py
EXTRA_DIST += tests/tui/console.py
