libcore_a_SOURCES += \
	core/sandbox/plan.c core/sandbox/plan.h \
	core/sandbox/tree.c core/sandbox/tree.h \
	core/sandbox/filter.c core/sandbox/filter.h \
	core/sandbox/badge.c core/sandbox/badge.h core/sandbox/layers.def \
	core/sandbox/sandbox.c core/sandbox/sandbox.h \
	core/sandbox/native.c

# Built without sanitizers: they reserve more address space than the sandbox allows.  Objects of its
# own for that reason, also of what the library has.
tollbridge_init_CFLAGS = $(TB_CFLAGS) $(SECCOMP_CFLAGS)
tollbridge_init_LDFLAGS = $(TB_LDFLAGS)
tollbridge_init_LDADD = $(SECCOMP_LIBS)
tollbridge_init_SOURCES += \
	core/base/buf.c \
	core/base/clock.c \
	core/base/err.c \
	core/base/io.c \
	core/base/mem.c \
	core/sandbox/child.c core/sandbox/child.h \
	core/sandbox/confine.c core/sandbox/confine.h \
	core/sandbox/filter.c \
	core/sandbox/guest.c core/sandbox/guest.h \
	core/sandbox/init.c \
	core/sandbox/landlock.c core/sandbox/landlock.h \
	core/sandbox/plan.c \
	core/sandbox/reap.c core/sandbox/reap.h \
	core/sandbox/root.c core/sandbox/root.h \
	core/sandbox/tool.c core/sandbox/tool.h \
	core/sandbox/tree.c
