# The commands are a library so that tests can link them.
noinst_LIBRARIES += libcmd.a
libcmd_a_SOURCES = \
	tui/cmd/cmd.c tui/cmd/cmd.h \
	tui/cmd/cmd_attach.c \
	tui/cmd/cmd_call.c \
	tui/cmd/cmd_decide.c \
	tui/cmd/cmd_demo.c \
	tui/cmd/cmd_list.c \
	tui/cmd/cmd_pending.c \
	tui/cmd/cmd_replay.c \
	tui/cmd/cmd_run.c \
	tui/cmd/cmd_show.c tui/cmd/cmd_tools.c \
	tui/cmd/cmd_verify.c \
	tui/cmd/commands.def tui/cmd/options.def \
	tui/cmd/follow.c tui/cmd/follow.h \
	tui/cmd/fold.c tui/cmd/fold.h \
	tui/cmd/launch.c tui/cmd/launch.h \
	tui/cmd/outlet.c tui/cmd/outlet.h \
	tui/cmd/start.c tui/cmd/start.h \
	tui/cmd/talk.c tui/cmd/talk.h
