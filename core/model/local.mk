libcore_a_SOURCES += \
	core/model/extract.c core/model/extract.h \
	core/model/model.c core/model/model.h \
	core/model/model_http.c core/model/model_http.h \
	core/model/retry.c core/model/retry.h \
	core/model/model_script.c core/model/model_script.h \
	core/model/prompt.c core/model/prompt.h \
	core/model/payload.c core/model/payload.h \
	core/model/wire_request.c core/model/wire_reader.c core/model/wire_reply.c \
	core/model/wire.h core/model/wire_inside.h \
	core/model/wire_error.c core/model/wire_chat.c core/model/wire_responses.c \
	core/model/wire_anthropic.c core/model/wire_ollama.c
