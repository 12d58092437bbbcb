libcore_a_SOURCES += \
	core/model/extract.c core/model/extract.h \
	core/model/model.c core/model/model.h \
	core/model/model_script.c core/model/model_script.h \
	core/model/prompt.c core/model/prompt.h \
	core/model/wire.h
