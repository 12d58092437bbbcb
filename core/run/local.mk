libcore_a_SOURCES +=

tollbridge_supervisor_SOURCES += core/run/main.c
