# A fuzz target is one file that defines LLVMFuzzerTestOneInput() (see fuzz_strict.c) and a folder of
# small seeds, tests/fuzz/corpus/NAME, written by hand.  Two lines add it, here or in the local.mk
# of the folder it belongs to:
#
#	fuzz_targets += tests/fuzz/fuzz_NAME
#	tests_fuzz_fuzz_NAME_LDADD = $(FUZZ_LIBS)
#
# (with libtui.a before $(FUZZ_LIBS) where it is about the screen).  An ordinary build links it with
# replay.c, and `make check` runs the seeds through it.  A build by clang with --enable-fuzzers links
# it with libFuzzer, and `make fuzz FUZZ_SECONDS=5` runs each target for so long; what it finds stays
# in fuzz/NAME of the build tree, an input that fails as fuzz/NAME-crash-...  Put that into the
# corpus together with the fix.
FUZZ_LIBS = $(FUZZ_MAIN) $(TEST_LIBS)
FUZZ_SECONDS = 60

noinst_LIBRARIES += libreplay.a
libreplay_a_SOURCES = tests/fuzz/replay.c
EXTRA_DIST += tests/fuzz/corpus tests/fuzz/run.sh

fuzz_targets += tests/fuzz/fuzz_strict
tests_fuzz_fuzz_strict_LDADD = $(FUZZ_LIBS)

check_PROGRAMS += $(fuzz_targets)
if FUZZERS
fuzz: $(fuzz_targets)
	@$(SHELL) $(srcdir)/tests/fuzz/run.sh '$(srcdir)/tests/fuzz/corpus' $(FUZZ_SECONDS) \
		$(fuzz_targets)
else
TESTS += $(fuzz_targets)
fuzz:
	@echo "make fuzz needs a build of its own: configure CC=clang --enable-fuzzers" >&2; exit 1
endif
.PHONY: fuzz

clean-local: clean-fuzz
clean-fuzz:
	-rm -rf fuzz
.PHONY: clean-fuzz
