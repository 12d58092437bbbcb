libtui_a_SOURCES += \
	tui/app.h \
	tui/app_ask.c \
	tui/app_ask_grant.c \
	tui/app_ask_program.c \
	tui/app_command.c \
	tui/app_decide.c \
	tui/app_guard.c \
	tui/app_edit.c \
	tui/app_inside.h \
	tui/app_keys.c \
	tui/app_meanwhile.c \
	tui/app_model.c tui/app_pages.c \
	tui/app_paint.c \
	tui/app_places.c \
	tui/app_prompt.c \
	tui/app_run.c \
	tui/app_replay.c tui/app_replay_inside.h \
	tui/app_replay_keys.c \
	tui/app_replay_show.c \
	tui/arming.c tui/arming.h \
	tui/bar.c tui/bar.h \
	tui/bindings.def \
	tui/call_words.c tui/call_words.h \
	tui/calls_filter.c tui/calls_filter.h \
	tui/calls_row.c tui/calls_row.h \
	tui/canvas.c tui/canvas.h tui/canvas_dump.c \
	tui/client.c tui/client.h \
	tui/client_ask.c \
	tui/client_requests.c \
	tui/code.c tui/code.h \
	tui/command.c tui/command.h tui/commands.def \
	tui/coverage.c tui/coverage.h \
	tui/diff.c tui/diff.h \
	tui/document.c tui/document.h \
	tui/document_args.c \
	tui/document_detail.c \
	tui/document_difference.c \
	tui/document_page.h \
	tui/document_place.c \
	tui/document_rules.c \
	tui/document_warnings.c \
	tui/film.c tui/film.h \
	tui/editor.c tui/editor.h \
	tui/fleet.c tui/fleet.h \
	tui/document_session.c \
	tui/find.c tui/find.h \
	tui/guard.h \
	tui/header.c tui/header.h \
	tui/keymap_config.c tui/keymap_config.h \
	tui/keymap.c tui/keymap.h tui/maps.def \
	tui/key_names.c \
	tui/keys.c tui/keys.h \
	tui/layout.c tui/layout.h \
	tui/lineedit.c tui/lineedit.h \
	tui/listbox.c tui/listbox.h \
	tui/meanwhile.c tui/meanwhile.h \
	tui/notify.c tui/notify.h \
	tui/pager.c tui/pager.h \
	tui/program_diff.c tui/program_diff.h \
	tui/program_lines.c tui/program_lines.h \
	tui/rows.c tui/rows.h \
	tui/seen.c tui/seen.h \
	tui/sheet.c tui/sheet.h \
	tui/pretty.c tui/pretty.h \
	tui/rows.c tui/rows.h tui/rows_inside.h tui/rows_read.c \
	tui/style.c tui/style.h tui/styles.def \
	tui/frames.c tui/frames.h \
	tui/term.c tui/term.h \
	tui/tty.c tui/tty.h \
	tui/theme.c tui/theme.h \
	tui/timeline.c tui/timeline.h \
	tui/trail.c tui/trail.h \
	tui/view.h \
	tui/view_approval.c tui/view_approval.h \
	tui/view_approval_field.c \
	tui/view_approval_inside.h \
	tui/view_approval_paint.c \
	tui/view_approval_parts.c \
	tui/view_ask.c tui/view_ask.h \
	tui/view_ask_document.c tui/view_ask_inside.h \
	tui/bound_list.c tui/bound_list.h \
	tui/view_bounds.c tui/view_bounds.h \
	tui/view_bounds_document.c tui/view_bounds_inside.h \
	tui/view_calls.c tui/view_calls.h \
	tui/view_dialog.c tui/view_dialog.h \
	tui/view_edit.c tui/view_edit.h \
	tui/view_help.c tui/view_help.h \
	tui/view_output.c tui/view_output.h \
	tui/view_page.c tui/view_page.h \
	tui/program_margin.c tui/program_margin.h tui/turn_pane.c tui/turn_pane.h tui/view_program.c tui/view_program.h \
	tui/view_grants.c tui/view_grants.h \
	tui/view_raise.c tui/view_raise.h \
	tui/view_runs.c tui/view_runs.h \
	tui/view_seen.c tui/view_seen.h \
	tui/view_waiting.c tui/view_waiting.h

tollbridge_SOURCES += tui/cmd/main.c
tollbridge_LDADD = libcmd.a libtui.a libcore.a $(CORE_LIBS) $(TUI_LIBS)

include tui/cmd/local.mk
