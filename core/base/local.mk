libcore_a_SOURCES += \
	core/base/attr.h \
	core/base/buf.c core/base/buf.h \
	core/base/clock.c core/base/clock.h \
	core/base/err.c core/base/err.h \
	core/base/io.c core/base/io.h \
	core/base/mem.c core/base/mem.h
