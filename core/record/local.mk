libcore_a_SOURCES += \
	core/record/event.c core/record/event.h \
	core/record/events.def \
	core/record/writer.c core/record/writer.h
