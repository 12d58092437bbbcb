libcore_a_SOURCES += \
	core/run/configuration.c core/run/configuration.h core/run/configuration_parts.h \
	core/run/configuration_keys.c \
	core/run/configuration_settings.c \
	core/run/configuration_tools.c \
	core/run/configuration_write.c \
	core/run/covers.c core/run/covers.h \
	core/run/later.def core/run/settings.def \
	core/run/near.c core/run/near.h \
	core/run/spawn.c core/run/spawn.h

tollbridge_supervisor_SOURCES += core/run/main.c
