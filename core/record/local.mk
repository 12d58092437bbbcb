libcore_a_SOURCES += \
	core/record/canonical.c core/record/canonical.h \
	core/record/event.c core/record/event.h \
	core/record/events.def \
	core/record/reader.c core/record/reader.h \
	core/record/writer.c core/record/writer.h
