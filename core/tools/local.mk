libcore_a_SOURCES += \
	core/tools/job.c core/tools/job.h \
	core/tools/python_boot.c core/tools/python_boot.h \
	core/tools/python_name.c core/tools/python_name.h core/tools/python_words.def \
	core/tools/registry.c core/tools/registry.h \
	core/tools/stub.c core/tools/stub.h \
	core/tools/tail.c core/tools/tail.h \
	core/tools/tool.c core/tools/tool.h \
	core/tools/tool_command.c core/tools/tool_command.h \
	core/tools/tool_python.c core/tools/tool_python.h \
	core/tools/worker_line.c core/tools/worker_line.h

nobase_dist_pkgdata_DATA += \
	core/sandbox/guest/runner.py \
	core/tools/python/hints.py \
	core/tools/python/tollbridge.py \
	core/tools/python/worker.py
