libcore_a_SOURCES += \
	core/session/session.c core/session/session.h \
	core/session/session_call_own.c \
	core/session/session_calls.c \
	core/session/session_inside.h \
	core/session/session_gate.c \
	core/session/replay.c core/session/replay.h core/session/replay_inside.h \
	core/session/replay_fields.c core/session/replay_fields.h \
	core/session/replay_file.c \
	core/session/replay_fold.c \
	core/session/replay_light.c \
	core/session/replay_lines.c core/session/replay_lines.h \
	core/session/replay_place.c \
	core/session/replay_scan.c \
	core/session/replay_search.c core/session/replay_search.h \
	core/session/replay_words.c core/session/replay_words.h \
	core/session/session_run.c core/session/session_model.c \
	core/session/summary.c core/session/summary.h
