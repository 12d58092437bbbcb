tollbridge_supervisor_LDADD = libcore.a $(CORE_LIBS) $(SECCOMP_LIBS)

include core/base/local.mk
include core/record/local.mk
include core/gate/local.mk
include core/net/local.mk
include core/model/local.mk
include core/session/local.mk
include core/tools/local.mk
include core/sandbox/local.mk
include core/run/local.mk
