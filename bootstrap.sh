#!/usr/bin/env bash
# From a fresh checkout to a running tollbridge: see usage below.  Says what it does.
set -u
cd "$(dirname "$0")" || exit 1

jobs=$(nproc)
build_packages=(gcc libc6-dev make autoconf autoconf-archive automake pkgconf libevent-dev
	libssl-dev libutf8proc-dev libpcre2-dev libseccomp-dev libncurses-dev libcmocka-dev
	libcurl4-openssl-dev libjansson-dev python3)
check_packages=(clang libclang-rt-dev clang-format cppcheck shellcheck xz-utils python3-pyte
	python3-numpy tmux locales openssl)

usage()
{
	cat <<-'TEXT'
		usage: ./bootstrap.sh build | demo [ARGUMENT...] | check [--LANE...]

		  build   install what is missing (Debian 12), configure, build into ./build
		  demo    build, then supervise a prepared program in the console
		  check   build with gcc and clang, run all tests, the sanitizers', short fuzzing,
		          lint and make distcheck; ends with "N passed, N failed, N skipped"
		  check --peers
		          the same, and runs with models that others have mocked, from npm
	TEXT
}

say()
{
	printf '== %s\n' "$*"
}

die()
{
	printf 'bootstrap.sh: %s\n' "$*" >&2
	exit 1
}

as_root()
{
	if [ "$(id -u)" -eq 0 ]; then
		"$@"
	else
		command -v sudo >/dev/null || die "needs root for: $*; there is no sudo"
		sudo "$@"
	fi
}

is_installed()
{
	dpkg-query -W -f '${db:Status-Status}\n' "$1" 2>/dev/null | grep -qx installed
}

# Install those of the named Debian packages that are missing.
need_packages()
{
	local missing=() package
	if ! command -v dpkg-query >/dev/null || ! command -v apt-get >/dev/null; then
		say "this is no Debian: taking for granted what these packages hold: $*"
		return
	fi
	for package in "$@"; do
		is_installed "$package" || missing+=("$package")
	done
	[ ${#missing[@]} -eq 0 ] && return
	say "installing Debian packages: ${missing[*]}"
	as_root apt-get update -q || die "apt-get update failed"
	as_root env DEBIAN_FRONTEND=noninteractive apt-get install -q -y --no-install-recommends \
		"${missing[@]}" || die "apt-get could not install: ${missing[*]}"
}

# make_configure: the configure script, from configure.ac.  Later changes make notices by itself.
make_configure()
{
	[ -x configure ] && return
	say "making the configure script"
	autoreconf -fi
}

# configure_in FOLDER ARGUMENT...: configure there once.
configure_in()
{
	local folder=$1
	shift
	[ -f "$folder/Makefile" ] && return
	say "configuring in $folder: $*"
	mkdir -p "$folder" && (cd "$folder" && "$source/configure" --quiet "$@")
}

build()
{
	need_packages "${build_packages[@]}"
	make_configure || die "autoreconf failed"
	configure_in build || die "configure failed, see build/config.log"
	say "building in build"
	make -s -C build -j"$jobs" || die "the build failed"
}

# Lanes of check.  Each leaves results as automake writes them, *.trs with :test-result: lines.

passed=0
failed=0
skipped=0

# one PASS|FAIL TEXT: a result that is no test program's.
one()
{
	if [ "$1" = PASS ]; then
		passed=$((passed + 1))
	else
		failed=$((failed + 1))
	fi
	printf '%s: %s\n' "$1" "$2"
}

count_results()
{
	find "$1" -name '*.trs' -exec cat {} + | grep -cE "^:test-result: ($2)"
}

# Add up a folder's results; print what failed in full, and why what was skipped was.
sum_results()
{
	local folder=$1 pass fail skip trs
	pass=$(count_results "$folder" PASS)
	fail=$(count_results "$folder" 'FAIL|XPASS|ERROR')
	skip=$(count_results "$folder" 'SKIP|XFAIL')
	while IFS= read -r trs; do
		printf -- '-- %s\n' "${trs%.trs}"
		tail -n 200 "${trs%.trs}.log"
	done < <(find "$folder" -name '*.trs' -exec grep -lE '^:test-result: (FAIL|XPASS|ERROR)' {} +)
	find "$folder" -name '*.trs' -exec grep -lE '^:test-result: (SKIP|XFAIL)' {} + |
		while IFS= read -r trs; do
			grep -hE '^(SKIP|XFAIL)' "${trs%.trs}.log" || grep -hE 'SKIP|XFAIL' "$trs"
		done
	passed=$((passed + pass))
	failed=$((failed + fail))
	skipped=$((skipped + skip))
	say "$folder: $pass passed, $fail failed, $skip skipped"
}

# run LOG COMMAND...: keep what it prints to itself unless it fails.
run()
{
	local log=$1
	shift
	"$@" >"$log" 2>&1
}

# Make a target that leaves results, then add those up.
make_and_sum()
{
	local folder=$1 target=$2 before
	shift 2
	find "$folder" -name '*.trs' -delete
	say "$folder: make $target"
	before=$failed
	if run "$folder/$target.out" make -s -C "$folder" -j"$jobs" "$target" "$@"; then
		sum_results "$folder"
		return
	fi
	sum_results "$folder"
	if [ "$failed" -eq "$before" ]; then
		tail -n 60 "$folder/$target.out"
		one FAIL "$folder: make $target"
	fi
}

# lane FOLDER TARGET ARGUMENT...: configure with the arguments, build, make the target.
lane()
{
	local folder=$1 target=$2
	shift 2
	if ! configure_in "$folder" "$@"; then
		one FAIL "$folder: configure $*"
		return 1
	fi
	say "$folder: building"
	if ! run "$folder/build.out" make -s -C "$folder" -j"$jobs"; then
		cat "$folder/build.out"
		one FAIL "$folder: build"
		return 1
	fi
	one PASS "$folder: builds without a warning"
	make_and_sum "$folder" "$target"
}

distcheck()
{
	local folder=$1
	say "$folder: make distcheck"
	if run "$folder/distcheck.out" make -s -C "$folder" -j"$jobs" distcheck; then
		one PASS "make distcheck"
		return
	fi
	tail -n 60 "$folder/distcheck.out"
	find "$folder" -path '*/_build/*' -name test-suite.log -exec tail -n 200 {} +
	one FAIL "make distcheck"
}

# Servers that others wrote, in the build tree; a Node of their own comes with them.
install_peers()
{
	command -v npm >/dev/null || need_packages nodejs npm
	say "installing the peers from npm in build-check/peers"
	mkdir -p build-check/peers && cp tests/peers/package.json build-check/peers/ &&
		run build-check/peers/install.out npm install --prefix build-check/peers \
			--no-audit --no-fund --loglevel=error
}

peers()
{
	if ! install_peers; then
		tail -n 40 build-check/peers/install.out
		one FAIL "the peers could not be installed from npm"
		return
	fi
	export TOLLBRIDGE_PEERS=$source/build-check/peers
	configure_in build-check/gcc CC=gcc --enable-werror &&
		make_and_sum build-check/gcc check TESTS=tests/peers/mocks.py
}

# check LANE...: everything, then these wider lanes.
check()
{
	local began=$SECONDS lane
	need_packages "${build_packages[@]}" "${check_packages[@]}"
	make_configure || die "autoreconf failed"
	export ASAN_OPTIONS=detect_leaks=1 UBSAN_OPTIONS=print_stacktrace=1
	if lane build-check/gcc check CC=gcc --enable-werror; then
		make_and_sum build-check/gcc lint
		distcheck build-check/gcc
	fi
	lane build-check/clang check CC=clang --enable-werror --enable-sanitizers
	if configure_in build-check/fuzz CC=clang --enable-werror --enable-sanitizers --enable-fuzzers; then
		make_and_sum build-check/fuzz fuzz FUZZ_SECONDS=5
	else
		one FAIL "build-check/fuzz: configure"
	fi
	for lane in "$@"; do
		"${lane#--}"
	done
	say "took $((SECONDS - began)) s"
	printf '%d passed, %d failed, %d skipped\n' "$passed" "$failed" "$skipped"
	[ "$failed" -eq 0 ]
}

source=$(pwd)
word=${1:-}
[ $# -eq 0 ] || shift
case $word in
build)
	build
	;;
demo)
	build
	exec ./build/tollbridge demo "$@"
	;;
check)
	for lane in "$@"; do
		[ "$lane" = --peers ] || {
			printf 'bootstrap.sh: there is no lane %s; there is --peers\n' "$lane" >&2
			exit 2
		}
	done
	check "$@"
	;;
-h | --help | help)
	usage
	;;
*)
	usage >&2
	exit 2
	;;
esac
