libcore_a_SOURCES += \
	core/session/session.c core/session/session.h \
	core/session/session_call_own.c \
	core/session/session_calls.c \
	core/session/session_inside.h \
	core/session/session_gate.c \
	core/session/replay.c core/session/replay.h \
	core/session/session_run.c \
	core/session/summary.c core/session/summary.h
