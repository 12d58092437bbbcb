libtui_a_SOURCES += \
	tui/arming.c tui/arming.h \
	tui/client.c tui/client.h

tollbridge_SOURCES += tui/cmd/main.c
tollbridge_LDADD = libtui.a libcore.a $(CORE_LIBS) $(TUI_LIBS)

include tui/cmd/local.mk
