libcore_a_SOURCES += \
	core/net/http.h
