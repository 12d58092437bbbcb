libcore_a_SOURCES += \
	core/net/http.c core/net/http.h \
	core/net/lines.c core/net/lines.h \
	core/net/sse.c core/net/sse.h
