libcore_a_SOURCES +=

# Built without sanitizers: they reserve more address space than the sandbox allows.
tollbridge_init_CFLAGS = $(TB_CFLAGS) $(SECCOMP_CFLAGS)
tollbridge_init_LDFLAGS = $(TB_LDFLAGS)
tollbridge_init_LDADD = $(SECCOMP_LIBS)
tollbridge_init_SOURCES += core/sandbox/init.c
