LOG_DRIVER = env AM_TAP_AWK='$(AWK)' $(SHELL) $(top_srcdir)/build-aux/tap-driver.sh
TEST_EXTENSIONS = .sh .py
SH_LOG_DRIVER = $(LOG_DRIVER)
SH_LOG_COMPILER = $(SHELL)
PY_LOG_DRIVER = $(LOG_DRIVER)
PY_LOG_COMPILER = /usr/bin/python3 -B
AM_TESTS_ENVIRONMENT = CMOCKA_MESSAGE_OUTPUT=TAP; export CMOCKA_MESSAGE_OUTPUT; \
	LC_ALL=C.UTF-8; export LC_ALL; TZ=UTC; export TZ; \
	TEST_SRCDIR='$(abs_top_srcdir)'; export TEST_SRCDIR; \
	TEST_BUILDDIR='$(abs_top_builddir)'; export TEST_BUILDDIR; \
	TOLLBRIDGE_SUITES="$${TOLLBRIDGE_SUITES:-$(abs_top_srcdir)/../shared/data}"; \
	export TOLLBRIDGE_SUITES; \
	TEST_CC='$(CC)'; export TEST_CC; \
	TEST_CFLAGS='$(DEFS) $(TB_CFLAGS) $(CORE_CFLAGS) -I$(abs_top_srcdir) -I$(abs_top_builddir)'; \
	export TEST_CFLAGS;

# Tests of core link these; a unit test costs two lines in its folder's local.mk.
TEST_LIBS = libcore.a $(CORE_LIBS) $(SECCOMP_LIBS) $(CMOCKA_LIBS)

# What no compiler checks: directions, fences, calls, sizes.
ground_checks = tests/check_layers.sh tests/check_fences.sh tests/check_banned.sh \
	tests/check_headers.sh tests/check_scope.sh tests/check_size.sh
dist_check_SCRIPTS += $(ground_checks)
EXTRA_DIST += tests/code.awk tests/lint.sh tests/cppcheck.txt tests/installed.py
TESTS += $(ground_checks)

BENCHES += tests/bench/bench_calls.py tests/bench/bench_replay tests/bench/bench_model.py
EXTRA_DIST += tests/bench/bench_calls.py tests/bench/bench_model.py

include tests/base/local.mk
include tests/record/local.mk
include tests/gate/local.mk
include tests/model/local.mk
include tests/session/local.mk
check_PROGRAMS += tests/bench/bench_replay
tests_bench_bench_replay_SOURCES = tests/bench/bench_replay.c $(make_record)
tests_bench_bench_replay_LDADD = libcore.a $(CORE_LIBS)
include tests/tools/local.mk
include tests/sandbox/local.mk
include tests/run/local.mk
include tests/tui/local.mk
include tests/fuzz/local.mk

# Without cmocka configure has said that there are no unit tests.
if HAVE_CMOCKA
check_PROGRAMS += $(unit_tests)
TESTS += $(unit_tests)
endif

# Under DESTDIR the programs are not where they look for each other.
installcheck-local:
	@$(AM_TESTS_ENVIRONMENT) test -n "$(DESTDIR)" || $(PY_LOG_COMPILER) \
		'$(srcdir)/tests/installed.py' '$(bindir)' '$(pkgdatadir)'
