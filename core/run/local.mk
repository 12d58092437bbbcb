libcore_a_SOURCES += \
	core/run/attempt.c core/run/attempt.h \
	core/run/bridge.c core/run/bridge.h \
	core/run/calls.c core/run/calls.h \
	core/run/console.c core/run/console.h \
	core/run/journal.c core/run/journal.h \
	core/run/journal_call.c \
	core/run/requests.c core/run/requests.h \
	core/run/run.c core/run/run.h \
	core/run/supervisor.c core/run/supervisor.h

tollbridge_supervisor_SOURCES += core/run/main.c
