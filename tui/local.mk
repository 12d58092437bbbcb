libtui_a_SOURCES += \
	tui/arming.c tui/arming.h \
	tui/bar.c tui/bar.h \
	tui/bindings.def \
	tui/canvas.c tui/canvas.h tui/canvas_dump.c \
	tui/client.c tui/client.h \
	tui/code.c tui/code.h \
	tui/command.c tui/command.h tui/commands.def \
	tui/coverage.c tui/coverage.h \
	tui/document.h \
	tui/document_build.c tui/document_build.h \
	tui/document_call.c \
	tui/keymap.c tui/keymap.h tui/maps.def \
	tui/key_names.c \
	tui/keys.c tui/keys.h \
	tui/layout.c tui/layout.h \
	tui/lineedit.c tui/lineedit.h \
	tui/listbox.c tui/listbox.h \
	tui/pager.c tui/pager.h \
	tui/style.c tui/style.h tui/styles.def \
	tui/term.h \
	tui/theme.c tui/theme.h

tollbridge_SOURCES += tui/cmd/main.c
tollbridge_LDADD = libcmd.a libtui.a libabsent.a libcore.a $(CORE_LIBS) $(TUI_LIBS)

include tui/cmd/local.mk
