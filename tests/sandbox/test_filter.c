/*
 * The filter's bytes, run in a small interpreter of classic BPF: what the kernel would answer to a
 * call, without making it.
 */
#include "config.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sched.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/syscall.h>

#include "core/base/err.h"
#include "core/base/mem.h"
#include "core/sandbox/filter.h"

#if defined(__x86_64__)
#define NATIVE AUDIT_ARCH_X86_64
#elif defined(__aarch64__)
#define NATIVE AUDIT_ARCH_AARCH64
#endif

#define ALLOW SECCOMP_RET_ALLOW
#define REFUSE (SECCOMP_RET_ERRNO | EPERM)
#define ABSENT (SECCOMP_RET_ERRNO | ENOSYS)

static struct filter filter;

static uint32_t
load(const struct seccomp_data *data, uint32_t at)
{
	uint32_t word;

	assert_true(at + sizeof(word) <= sizeof(*data));
	memcpy(&word, (const char *)data + at, sizeof(word));
	return word;
}

static int
jump(const struct sock_filter *in, uint32_t acc)
{
	bool holds;

	switch (BPF_OP(in->code)) {
	case BPF_JA:
		return (int)in->k;
	case BPF_JEQ:
		holds = acc == in->k;
		break;
	case BPF_JGT:
		holds = acc > in->k;
		break;
	case BPF_JGE:
		holds = acc >= in->k;
		break;
	case BPF_JSET:
		holds = acc & in->k;
		break;
	default:
		fail_msg("a jump this interpreter does not know: %#x", in->code);
		return 0;
	}
	return holds ? in->jt : in->jf;
}

static uint32_t
run(const struct seccomp_data *data)
{
	uint32_t acc = 0;

	for (int pc = 0; pc < filter.len; pc++) {
		const struct sock_filter *in = &filter.code[pc];

		switch (BPF_CLASS(in->code)) {
		case BPF_LD:
			acc = load(data, in->k);
			break;
		case BPF_ALU:
			assert_int_equal(BPF_OP(in->code), BPF_AND);
			acc &= in->k;
			break;
		case BPF_JMP:
			pc += jump(in, acc);
			break;
		case BPF_RET:
			return in->k;
		default:
			fail_msg("an instruction this interpreter does not know: %#x", in->code);
		}
	}
	fail_msg("the filter runs off its end");
	return 0;
}

static uint32_t
call(int nr, uint64_t a, uint64_t b, uint64_t c, uint64_t d)
{
	const struct seccomp_data data = { .nr = nr, .arch = NATIVE, .args = { a, b, c, d } };

	return run(&data);
}

static void
what_a_program_needs_is_allowed(void **state)
{
	assert_int_equal(call(SYS_read, 0, 0, 0, 0), ALLOW);
	assert_int_equal(call(SYS_write, 1, 0, 0, 0), ALLOW);
	assert_int_equal(call(SYS_openat, (uint64_t)AT_FDCWD, 0, O_RDONLY, 0), ALLOW);
	assert_int_equal(call(SYS_futex, 0, 0, 0, 0), ALLOW);
	assert_int_equal(call(SYS_execve, 0, 0, 0, 0), ALLOW);
	assert_int_equal(call(SYS_exit_group, 0, 0, 0, 0), ALLOW);
}

static void
what_is_on_no_list_is_refused(void **state)
{
	static const int calls[] = { SYS_ptrace, SYS_mount, SYS_umount2, SYS_pivot_root, SYS_chroot,
		SYS_unshare, SYS_setns, SYS_bpf, SYS_perf_event_open, SYS_userfaultfd, SYS_keyctl,
		SYS_add_key, SYS_socket, SYS_connect, SYS_bind, SYS_sendmsg, SYS_recvmsg,
		SYS_memfd_create, SYS_execveat, SYS_process_vm_readv, SYS_process_vm_writev,
		SYS_pidfd_getfd, SYS_kcmp, SYS_io_uring_setup, SYS_open_by_handle_at, SYS_flock,
		SYS_setuid, SYS_setresuid, SYS_sched_setaffinity, SYS_sched_setscheduler,
		SYS_personality, SYS_mknodat, SYS_linkat, SYS_symlinkat, SYS_inotify_init1,
		SYS_init_module, SYS_reboot, SYS_syslog, SYS_seccomp, SYS_vmsplice, SYS_mbind,
		SYS_pkey_mprotect, SYS_mlock, SYS_shmget, SYS_mq_open, SYS_quotactl, SYS_swapon };

	for (size_t i = 0; i < ARRAY_SIZE(calls); i++)
		assert_int_equal(call(calls[i], 0, 0, 0, 0), REFUSE);
	for (int nr = 500; nr < 600; nr++)
		assert_int_equal(call(nr, 0, 0, 0, 0), REFUSE);
}

static void
what_hides_its_arguments_seems_absent(void **state)
{
	assert_int_equal(call(SYS_clone3, 0, 0, 0, 0), ABSENT);
	assert_int_equal(call(SYS_openat2, 0, 0, 0, 0), ABSENT);
}

static void
a_foreign_architecture_is_killed(void **state)
{
	struct seccomp_data data = { .nr = SYS_read, .arch = AUDIT_ARCH_I386 };

	assert_int_equal(run(&data), SECCOMP_RET_KILL_PROCESS);
	data.arch = AUDIT_ARCH_ARM;
	assert_int_equal(run(&data), SECCOMP_RET_KILL_PROCESS);
}

#if defined(__x86_64__)
static void
the_x32_numbers_are_killed(void **state)
{
	assert_int_equal(call(0x40000000 | SYS_read, 0, 0, 0, 0), SECCOMP_RET_KILL_PROCESS);
	assert_int_equal(call(0x40000000 | 520, 0, 0, 0, 0), SECCOMP_RET_KILL_PROCESS);
}
#endif

static void
memory_is_never_writable_and_executable(void **state)
{
	assert_int_equal(call(SYS_mmap, 0, 4096, PROT_READ | PROT_WRITE, 0), ALLOW);
	assert_int_equal(call(SYS_mmap, 0, 4096, PROT_READ | PROT_EXEC, 0), ALLOW);
	assert_int_equal(call(SYS_mmap, 0, 4096, PROT_NONE, 0), ALLOW);
	assert_int_equal(call(SYS_mmap, 0, 4096, PROT_READ | PROT_WRITE | PROT_EXEC, 0), REFUSE);
	assert_int_equal(call(SYS_mmap, 0, 4096, PROT_WRITE | PROT_EXEC, 0), REFUSE);
}

static void
nothing_becomes_executable_later(void **state)
{
	assert_int_equal(call(SYS_mprotect, 0, 4096, PROT_READ | PROT_WRITE, 0), ALLOW);
	assert_int_equal(call(SYS_mprotect, 0, 4096, PROT_READ | PROT_EXEC, 0), REFUSE);
	assert_int_equal(call(SYS_mprotect, 0, 4096, PROT_EXEC, 0), REFUSE);
}

static void
a_thread_is_made_and_a_namespace_is_not(void **state)
{
	const uint64_t thread = CLONE_VM | CLONE_FS | CLONE_FILES | CLONE_SIGHAND | CLONE_THREAD |
				CLONE_SYSVSEM | CLONE_SETTLS | CLONE_PARENT_SETTID |
				CLONE_CHILD_CLEARTID;
	static const uint64_t refused[] = { CLONE_NEWUSER, CLONE_NEWNS, CLONE_NEWPID, CLONE_NEWNET,
		CLONE_NEWIPC, CLONE_NEWUTS, CLONE_NEWCGROUP, CLONE_PTRACE, CLONE_PARENT };

	assert_int_equal(call(SYS_clone, thread, 0, 0, 0), ALLOW);
	assert_int_equal(call(SYS_clone, 17, 0, 0, 0), ALLOW);
	for (size_t i = 0; i < ARRAY_SIZE(refused); i++)
		assert_int_equal(call(SYS_clone, refused[i] | 17, 0, 0, 0), REFUSE);
}

static void
no_file_is_made_set_user_id(void **state)
{
	assert_int_equal(call(SYS_fchmodat, 0, 0, 0755, 0), ALLOW);
	assert_int_equal(call(SYS_fchmodat, 0, 0, 04755, 0), REFUSE);
	assert_int_equal(call(SYS_fchmodat, 0, 0, 02755, 0), REFUSE);
	assert_int_equal(call(SYS_fchmod, 0, 04700, 0, 0), REFUSE);
	assert_int_equal(call(SYS_openat, 0, 0, O_CREAT, 06755), REFUSE);
}

static void
the_descriptor_commands_are_the_harmless_ones(void **state)
{
	assert_int_equal(call(SYS_fcntl, 0, F_SETFL, 0, 0), ALLOW);
	assert_int_equal(call(SYS_fcntl, 0, F_SETLK, 0, 0), ALLOW);
	assert_int_equal(call(SYS_fcntl, 0, F_SETLEASE, 0, 0), REFUSE);
	assert_int_equal(call(SYS_fcntl, 0, F_SETOWN, 0, 0), REFUSE);
	assert_int_equal(call(SYS_fcntl, 0, F_NOTIFY, 0, 0), REFUSE);
	assert_int_equal(call(SYS_fcntl, 0, F_SETPIPE_SZ, 0, 0), REFUSE);
	/* TIOCSTI, TIOCLINUX: in 32 bits whatever stands above them */
	assert_int_equal(call(SYS_ioctl, 0, 0x5412, 0, 0), REFUSE);
	assert_int_equal(call(SYS_ioctl, 0, 0x541c, 0, 0), REFUSE);
	assert_int_equal(call(SYS_ioctl, 0, UINT64_C(0xffffffff00005412), 0, 0), REFUSE);
	assert_int_equal(call(SYS_ioctl, 0, 0x5401, 0, 0), ALLOW);
}

static void
a_socket_is_a_unix_pair_that_sends_to_its_peer(void **state)
{
	struct seccomp_data data = { .nr = SYS_sendto, .arch = NATIVE };

	assert_int_equal(call(SYS_socketpair, AF_UNIX, SOCK_STREAM, 0, 0), ALLOW);
	assert_int_equal(call(SYS_socketpair, AF_INET, SOCK_STREAM, 0, 0), REFUSE);
	assert_int_equal(call(SYS_socketpair, AF_VSOCK, SOCK_STREAM, 0, 0), REFUSE);
	assert_int_equal(run(&data), ALLOW);
	data.args[3] = MSG_NOSIGNAL;
	assert_int_equal(run(&data), ALLOW);
	data.args[3] = MSG_OOB;
	assert_int_equal(run(&data), REFUSE);
	data.args[3] = 0;
	data.args[4] = 0x1000;
	assert_int_equal(run(&data), REFUSE);
	data.args[4] = UINT64_C(0x100000000);
	assert_int_equal(run(&data), REFUSE);
}

static void
limits_are_its_own_and_prctl_is_the_name(void **state)
{
	assert_int_equal(call(SYS_prlimit64, 0, 0, 0, 0), ALLOW);
	assert_int_equal(call(SYS_prlimit64, 1, 0, 0, 0), REFUSE);
	assert_int_equal(call(SYS_prctl, 15, 0, 0, 0), ALLOW);
	assert_int_equal(call(SYS_prctl, 4, 1, 0, 0), REFUSE);
	assert_int_equal(call(SYS_prctl, 22, 1, 0, 0), REFUSE);
}

static int
make(void **state)
{
	struct err err;

	return filter_make(&filter, &err);
}

static int
release(void **state)
{
	filter_release(&filter);
	return 0;
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_a_program_needs_is_allowed),
		cmocka_unit_test(what_is_on_no_list_is_refused),
		cmocka_unit_test(what_hides_its_arguments_seems_absent),
		cmocka_unit_test(a_foreign_architecture_is_killed),
#if defined(__x86_64__)
		cmocka_unit_test(the_x32_numbers_are_killed),
#endif
		cmocka_unit_test(memory_is_never_writable_and_executable),
		cmocka_unit_test(nothing_becomes_executable_later),
		cmocka_unit_test(a_thread_is_made_and_a_namespace_is_not),
		cmocka_unit_test(no_file_is_made_set_user_id),
		cmocka_unit_test(the_descriptor_commands_are_the_harmless_ones),
		cmocka_unit_test(a_socket_is_a_unix_pair_that_sends_to_its_peer),
		cmocka_unit_test(limits_are_its_own_and_prctl_is_the_name),
	};

	return cmocka_run_group_tests(tests, make, release);
}
