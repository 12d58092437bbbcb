libcore_a_SOURCES += \
	core/base/attr.h \
	core/base/buf.c core/base/buf.h \
	core/base/clock.c core/base/clock.h \
	core/base/decimal.c core/base/decimal.h \
	core/base/err.c core/base/err.h \
	core/base/hash.c core/base/hash.h \
	core/base/io.c core/base/io.h \
	core/base/json.c core/base/json.h \
	core/base/jsonout.c core/base/jsonout.h \
	core/base/loop.c core/base/loop.h \
	core/base/mem.c core/base/mem.h \
	core/base/names.c core/base/names.h \
	core/base/strict.c core/base/strict.h \
	core/base/text.c core/base/text.h \
	core/base/utf8.c core/base/utf8.h \
	core/base/where.c core/base/where.h
