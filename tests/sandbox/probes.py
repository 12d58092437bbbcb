"""What hostile code tries from inside a sandbox.

Run in the sandbox in place of the runner, with a last line that calls main(GROUP).  Each probe
writes one line to descriptor 1: its name, "blocked" or "OPEN", and what it saw.  A raw call counts
as blocked only when it is refused at the gate (EPERM, ENOSYS): any other error means that the kernel
looked at its arguments.
"""
import ctypes
import errno
import glob
import mmap
import os
import resource
import signal
import socket
import sys
import threading
import time

libc = ctypes.CDLL(None, use_errno=True)
NOWHERE = ctypes.c_long(0)

# x86_64 numbers; each with arguments that do no harm if they get through.
CALLS = {
    "remount_rw": [(165, 0, 0, 0, 0x1020, 0)],
    "umount_proc": [(166, 0, 2)],
    "fsopen_tmpfs": [(430, 0, 0), (431, -1, 0, 0, 0, 0), (432, -1, 0, 0), (433, -1, 0, 0)],
    "open_tree_clone": [(428, -100, 0, 1), (429, -1, 0, -1, 0, 0)],
    "mount_setattr_rw": [(442, -1, 0, 0, 0, 0)],
    "do_chroot": [(161, 0)],
    "do_pivot_root": [(155, 0, 0)],
    "open_by_handle": [(304, -1, 0, 0), (303, -1, 0, 0, 0, 0)],
    "make_device": [(133, 0, 0o20600, 257), (259, -100, 0, 0o20600, 257)],
    "memfd_exec": [(319, 0, 0), (322, -1, 0, 0, 0, 0)],
    "plant_hardlink": [(86, 0, 0), (265, -100, 0, -100, 0, 0)],
    "lock_shared_file": [(73, -1, 2)],
    "watch_shared_dir": [(253,), (294, 0)],
    "change_uid": [(105, 0), (106, 0), (113, 0, 0), (114, 0, 0), (117, 0, 0, 0), (119, 0, 0, 0),
                   (116, 0, 0), (122, 0), (123, 0), (126, 0, 0)],
    "unshare_user": [(272, 0x10000000)],
    "clone_user": [(56, 0x10000011, 0, 0, 0, 0)],
    "clone3_user": [(435, 0, 0)],
    "unshare_others": [(272, 0x20000), (272, 0x40000000), (272, 0x20000000), (272, 0x8000000)],
    "setns_gate": [(308, -1, 0)],
    "realtime": [(144, 0, 1, 0), (142, 0, 0), (314, 0, 0, 0), (141, 0, 0, -5), (251, 1, 0, 0)],
    "other_processors": [(203, 0, 0, 0)],
    "personality_norandom": [(135, 0x40000)],
    "inet_socket": [(41, 2, 1, 0), (41, 2, 2, 0), (41, 10, 1, 0), (41, 10, 2, 0)],
    "raw_sockets": [(41, 2, 3, 1), (41, 17, 3, 0)],
    "netlink_sockets": [(41, 16, 3, n) for n in (0, 6, 9, 12, 15, 16)],
    "vsock_socket": [(41, 40, 1, 0)],
    "alg_socket": [(41, 38, 5, 0)],
    "odd_families": [(41, n, 2, 0) for n in (3, 4, 5, 9, 21, 24, 29, 30, 31, 39, 43, 44)],
    "unix_socket": [(41, 1, 1, 0), (41, 1, 2, 0), (42, -1, 0, 0), (49, -1, 0, 0), (50, -1, 1),
                    (43, -1, 0, 0), (288, -1, 0, 0, 0)],
    "scm_rights": [(46, -1, 0, 0), (307, -1, 0, 0, 0), (47, -1, 0, 0), (299, -1, 0, 0, 0, 0)],
    "unix_msg_oob": [(44, -1, 0, 0, 1, 0, 0)],
    "sendto_by_name": [(44, -1, 0, 0, 0, 4096, 16)],
    "socket_filter": [(54, -1, 1, 26, 0, 0)],
    "async_signals": [(72, 0, 8, 0), (72, 0, 10, 0), (72, 0, 15, 0)],
    "lease_shared_file": [(72, 0, 1024, 0), (72, 0, 1026, 0)],
    "tiocsti": [(16, 0, 0x5412, 0), (16, 0, 0x541C, 0), (16, 0, 0x540E, 0)],
    "ptrace_child": [(101, 16, 0, 0, 0)],
    "ptrace_traceme": [(101, 0, 0, 0, 0)],
    "process_vm": [(310, 1, 0, 0, 0, 0, 0), (311, 1, 0, 0, 0, 0, 0)],
    "steal_fd": [(434, 1, 0), (438, -1, 0, 0), (424, -1, 0, 0, 0), (440, -1, 0, 0, 0, 0)],
    "do_kcmp": [(312, 1, 1, 0, 0, 0)],
    "prlimit_pid1": [(302, 1, 0, 0, 0)],
    "sysv_ipc": [(29, 0, 0, 0), (64, 0, 0, 0), (68, 0, 0), (30, 0, 0, 0)],
    "posix_mq": [(240, 0, 0, 0, 0)],
    "io_uring": [(425, 0, 0), (426, -1, 0, 0, 0, 0, 0), (427, -1, 0, 0, 0)],
    "bpf_map": [(321, 0, 0, 0)],
    "perf_event": [(298, 0, 0, -1, -1, 0)],
    "do_userfaultfd": [(323, 0)],
    "key_rings": [(248, 0, 0, 0, 0, 0), (249, 0, 0, 0, 0), (250, 0, 0, 0, 0, 0)],
    "kernel_log": [(103, 10, 0, 0)],
    "kernel_code": [(175, 0, 0, 0), (313, -1, 0, 0), (176, 0, 0), (246, 0, 0, 0, 0),
                    (320, -1, -1, 0, 0, 0)],
    "do_reboot": [(169, 0, 0, 0, 0)],
    "set_clock": [(164, 0, 0), (227, 0, 0), (159, 0), (305, 0, 0)],
    "set_hostname": [(170, 0, 0), (171, 0, 0)],
    "admin_calls": [(167, 0, 0), (168, 0), (163, 0), (179, 0, 0, 0, 0), (153,)],
    "port_io": [(172, 3), (173, 0, 1, 1)],
    "rare_calls": [(154, 0, 0, 0), (134, 0), (139, 0, 0, 0), (212, 0, 0, 0), (216, 0, 0, 0, 0, 0),
                   (206, 0, 0), (180,), (183,), (236,)],
    "fanotify": [(300, 0, 0), (301, -1, 0, 0, -1, 0)],
    "secret_memory": [(447, 0)],
    "numa_calls": [(237, 0, 0, 0, 0, 0, 0), (279, 0, 0, 0, 0, 0, 0), (256, 0, 0, 0, 0),
                   (238, 0, 0, 0)],
    "do_vmsplice": [(278, -1, 0, 0, 0), (275, -1, 0, -1, 0, 0, 0), (276, -1, -1, 0, 0)],
    "seccomp_listener": [(317, 1, 8, 0), (317, 0, 0, 0)],
    "mlock_calls": [(149, 0, 0), (151, 0), (325, 0, 0, 0)],
    "process_madvise": [(440, -1, 0, 0, 0, 0), (448, -1, 0)],
    "dumpable": [(157, 4, 1, 0, 0, 0), (157, 1, 0, 0, 0, 0), (157, 36, 1, 0, 0, 0)],
    "pipe_size": [(72, 0, 1031, 1 << 20)],
    "set_xattr": [(188, 0, 0, 0, 0, 0), (190, -1, 0, 0, 0, 0)],
    "change_owner": [(92, 0, 0, 0), (93, -1, 0, 0), (260, -100, 0, 0, 0, 0)],
}


def raw(number, *args):
    ctypes.set_errno(0)
    padded = [ctypes.c_long(a) for a in args] + [NOWHERE] * (6 - len(args))
    result = libc.syscall(ctypes.c_long(number), *padded)
    return 0 if result >= 0 else ctypes.get_errno()


def calls(name):
    seen = {}
    for call in CALLS[name]:
        code = raw(*call)
        seen[call[0]] = errno.errorcode.get(code, code)
        if code not in (errno.EPERM, errno.ENOSYS):
            return False, f"call {call[0]}: {seen[call[0]]}"
    return True, str(seen)


def refused(action, *expected):
    """Blocked when action raises OSError (of one of the expected kinds, when there are any)."""
    try:
        result = action()
    except OSError as error:
        name = errno.errorcode.get(error.errno, error.errno)
        return not expected or error.errno in expected, str(name)
    return False, repr(result)[:80]


def all_refused(*actions):
    for action in actions:
        blocked, seen = refused(action)
        if not blocked:
            return False, seen
    return True, seen


def opening(flags, *paths):
    return all_refused(*[lambda p=p: os.open(p, flags) for p in paths])


def read(path):
    with open(path, "rb") as file:
        return file.read().decode("utf-8", "replace")


def status(name):
    for line in read("/proc/self/status").splitlines():
        if line.startswith(name + ":"):
            return line.split(":", 1)[1].strip()
    return ""


def list_homes():
    names = [p for d in ("/home", "/root", "/srv", "/var", "/mnt", "/media", "/boot")
             if os.path.exists(d) for p in [d]]
    return not names, str(names)


def find_secrets():
    places = ["/root/.ssh", "/etc/ssh", "/etc/ssl/private", "/etc/machine-id", "/run/secrets",
              "/var/run/secrets", "/etc/hosts", "/etc/resolv.conf"] + glob.glob("/home/*/.*")
    there = [p for p in places if os.path.exists(p)]
    return not there, str(there)


def climb_out():
    os.chdir("/")
    for _ in range(40):
        os.chdir("..")
    names = sorted(os.listdir("."))
    os.chdir("/tmp")
    odd = set(names) - {"bin", "sbin", "lib", "lib32", "lib64", "libx32", "usr", "etc", "dev",
                        "proc", "tmp", "run", "in", "data"}
    return not odd, str(odd)


def leaked_fds():
    fds = {}
    for number in os.listdir("/proc/self/fd"):
        try:
            fds[int(number)] = os.readlink("/proc/self/fd/" + number)
        except OSError:
            continue  # the one that listed the folder
    one_socket = fds.get(0) == fds.get(1) and fds.get(0, "").startswith("socket:")
    return set(fds) == {0, 1, 2} and one_socket, str(fds)


def make_setuid():
    path = "/tmp/setuid"
    fd = os.open(path, os.O_CREAT | os.O_WRONLY, 0o755)
    os.close(fd)
    tries = [lambda: os.chmod(path, 0o4755), lambda: os.open("/tmp/s2", os.O_CREAT, 0o6755)]
    blocked, seen = all_refused(*tries)
    return blocked and not os.stat(path).st_mode & 0o6000, seen


def exec_written():
    path = "/tmp/written"
    with open(path, "w") as file:
        file.write("#!/bin/sh\nexit 0\n")
    os.chmod(path, 0o755)
    shm = "/dev/shm/written"
    with open(shm, "w") as file:
        file.write("#!/bin/sh\nexit 0\n")
    os.chmod(shm, 0o755)
    return all_refused(lambda: os.execv(path, [path]), lambda: os.execv(shm, [shm]))


def exec_other():
    """Landlock: the interpreter and the libraries alone may be executed."""
    return all_refused(*[lambda p=p: os.execv(p, [p, "-c", ":"])
                         for p in ("/bin/sh", "/usr/bin/true", "/usr/bin/env")])


def map_written():
    with open("/tmp/map", "wb") as file:
        file.write(b"\xc3" * 4096)
    fd = os.open("/tmp/map", os.O_RDWR)
    return all_refused(lambda: mmap.mmap(fd, 4096, mmap.MAP_SHARED, mmap.PROT_READ | mmap.PROT_EXEC),
                       lambda: mmap.mmap(fd, 4096, mmap.MAP_PRIVATE,
                                         mmap.PROT_READ | mmap.PROT_EXEC))


def wx_memory():
    page = mmap.mmap(-1, 4096)
    address = ctypes.addressof(ctypes.c_char.from_buffer(page))
    everything = mmap.PROT_READ | mmap.PROT_WRITE | mmap.PROT_EXEC
    codes = [raw(9, 0, 4096, everything, 0x22, -1, 0), raw(10, address, 4096, 5),
             raw(10, address, 4096, 7), raw(329, address, 4096, 7, -1)]
    return all(c == errno.EPERM for c in codes), str(codes)


def see_processes():
    pids = [p for p in os.listdir("/proc") if p.isdigit()]
    return pids == [str(os.getpid())], str(pids)


def mountinfo():
    lines = [l.split() for l in read("/proc/self/mountinfo").splitlines()]
    odd = [(f[3], f[4]) for f in lines if f[3] not in
           ("/", "/usr", "/etc/alternatives", "/etc/ld.so.cache", "/null", "/urandom", "/bin",
            "/lib", "/lib64")]
    return not odd, str(odd)


def environment():
    extra = set(os.environ) - {"LANG", "HOME", "PATH", "LC_CTYPE", "MALLOC_ARENA_MAX"}
    return not extra, str(extra)


def capabilities():
    sets = [status(n) for n in ("CapInh", "CapPrm", "CapEff", "CapBnd", "CapAmb")]
    return all(int(s, 16) == 0 for s in sets), str(sets)


def host_uid():
    inside = {os.getuid(), os.geteuid(), os.getgid(), os.getegid(), *os.getgroups()}
    mapped = [l.split() for l in read("/proc/self/uid_map").splitlines()]
    whole = any(int(m[2]) != 1 or int(m[1]) == 0 or int(m[0]) == 0 for m in mapped)
    return 0 not in inside and not whole and len(mapped) == 1, f"{inside} {mapped}"


def raise_limits():
    def lift(which):
        soft, hard = resource.getrlimit(which)
        resource.setrlimit(which, (soft, hard + 1))
    names = ("AS", "NPROC", "NOFILE", "FSIZE", "CORE", "STACK", "MEMLOCK", "SIGPENDING")
    for name in names:
        try:
            lift(getattr(resource, "RLIMIT_" + name))
        except (ValueError, OSError):
            continue
        return False, name
    return True, "hard limits stay"


def missing_limits():
    names = ("AS", "NPROC", "NOFILE", "FSIZE", "CORE", "STACK", "MEMLOCK", "SIGPENDING",
             "MSGQUEUE", "CPU")
    free = [n for n in names
            if resource.getrlimit(getattr(resource, "RLIMIT_" + n))[1] == resource.RLIM_INFINITY]
    return not free, str(free)


def reopen():
    return all_refused(*[lambda f=f, m=m: os.open(f"/proc/self/fd/{f}", m)
                         for f in (0, 1, 2) for m in (os.O_RDONLY, os.O_WRONLY, os.O_RDWR)])


def loopback():
    return refused(lambda: socket.create_server(("127.0.0.1", 0)), errno.EPERM)


def parent_memory():
    return opening(os.O_RDWR, "/proc/1/mem", f"/proc/{os.getppid()}/mem")


def signal_all():
    try:
        os.kill(-1, 0)
    except OSError as error:
        return error.errno in (errno.ESRCH, errno.EPERM), str(error)
    return False, "somebody answered"


def x32_gate():
    pid = os.fork()
    if pid == 0:
        raw(0x40000000 | 39)
        os._exit(0)
    code = os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])
    return code == -signal.SIGSYS, f"ended with {code}"


def control_sockets():
    places = ["/run/docker.sock", "/var/run/docker.sock", "/run/podman", "/run/containerd",
              "/run/systemd", "/run/dbus", "/tmp/.X11-unix", "/run/user"]
    there = [p for p in places if os.path.exists(p)]
    return not there, str(there)


def startup_code():
    places = [p for p in sys.path if p] + ["/usr/local/lib", os.path.dirname(os.__file__)]
    return all_refused(*[lambda p=p: os.open(p + "/evil.pth", os.O_CREAT | os.O_WRONLY)
                         for p in places if os.path.isdir(p)])


def run_setuid():
    lines = [l.split() for l in read("/proc/self/mountinfo").splitlines()]
    with_suid = [f[4] for f in lines if "nosuid" not in f[5].split(",")]
    return not with_suid and status("NoNewPrivs") == "1", str(with_suid)


def writing(*paths):
    return opening(os.O_WRONLY, *paths)


def creating(*folders):
    return opening(os.O_CREAT | os.O_WRONLY, *[f + "/planted" for f in folders])


PROBES = {
    "read_shadow": lambda: opening(os.O_RDONLY, "/etc/shadow", "/proc/1/root/etc/shadow"),
    "list_homes": list_homes,
    "find_secrets": find_secrets,
    "write_system": lambda: creating("/usr", "/etc", "", "/usr/bin", "/run", "/dev", "/proc"),
    "write_stdlib": lambda: creating(os.path.dirname(os.__file__)),
    "climb_out": climb_out,
    "cwd_outside_root": lambda: (os.getcwd() == "/tmp", os.getcwd()),
    "leaked_fds": leaked_fds,
    "make_setuid": make_setuid,
    "run_setuid": run_setuid,
    "exec_written_file": exec_written,
    "exec_shell": exec_other,
    "map_written_file_exec": map_written,
    "plant_startup_code": startup_code,
    "self_mem": lambda: opening(os.O_RDWR, "/proc/self/mem"),
    "write_proc_sys": lambda: writing("/proc/sys/kernel/core_pattern", "/proc/sys/vm/drop_caches"),
    "write_sysrq": lambda: writing("/proc/sysrq-trigger"),
    "read_kernel_tables": lambda: opening(
        os.O_RDONLY, *["/proc/" + n for n in ("kcore", "kallsyms", "keys", "timer_list", "kmsg",
                                              "net/unix", "cpuinfo", "cmdline")]),
    "open_devices": lambda: opening(
        os.O_RDONLY, *["/dev/" + n for n in ("mem", "kmsg", "kvm", "net/tun", "fuse", "vda", "sda",
                                             "console", "tty0", "zero", "full", "random")]),
    "write_sysfs": lambda: writing("/sys/kernel/uevent_helper", "/sys/power/state"),
    "write_cgroup": lambda: writing("/sys/fs/cgroup/cgroup.procs",
                                    "/sys/fs/cgroup/memory/release_agent"),
    "overwrite_runtime": lambda: writing("/proc/1/exe", "/proc/self/exe"),
    "read_pid1": lambda: opening(os.O_RDONLY, *["/proc/1/" + n for n in (
        "cmdline", "environ", "maps", "status", "stat", "comm", "fd/3")]),
    "see_processes": see_processes,
    "host_paths_in_mountinfo": mountinfo,
    "env_secrets": environment,
    "have_capabilities": capabilities,
    "no_new_privs_missing": lambda: (status("NoNewPrivs") == "1", status("NoNewPrivs")),
    "seccomp_missing": lambda: (status("Seccomp") == "2", status("Seccomp")),
    "host_root_uid": host_uid,
    "raise_limits": raise_limits,
    "missing_limits": missing_limits,
    "oom_protect": lambda: writing("/proc/self/oom_score_adj"),
    "loopback_tcp": loopback,
    "list_abstract": lambda: opening(os.O_RDONLY, "/proc/net/unix", "/proc/self/net/unix")
    if os.path.exists("/proc/net/unix") else (len(read("/proc/self/net/unix").splitlines()) <= 4,
                                              "own namespace only"),
    "control_sockets": control_sockets,
    "stdio_is_tty": lambda: (not any(os.isatty(f) for f in (0, 1, 2)), ""),
    "open_tty": lambda: opening(os.O_RDWR, "/dev/tty"),
    "open_ptmx": lambda: opening(os.O_RDWR, "/dev/ptmx", "/dev/pts/ptmx"),
    "other_ptys": lambda: (not os.path.exists("/dev/pts"), ""),
    "reopen_pipe": reopen,
    "signal_all": signal_all,
    "proc_mem": parent_memory,
    "cpu_affinity": lambda: (len(os.sched_getaffinity(0)) == 1, ""),
    "wx_memory": wx_memory,
    "map_zero_page": lambda: (raw(9, 0, 4096, 3, 0x32, -1, 0) in (1, 13), ""),
    "x32_gate": x32_gate,
    "userns_by_fork": lambda: (raw(56, 0x7E020011, 0, 0, 0, 0) == errno.EPERM, ""),
}


# ---- bombs: each alone in its sandbox ----

def fork_bomb():
    count = 0
    try:
        for count in range(1, 401):
            if os.fork() == 0:
                time.sleep(60)
                os._exit(0)
    except OSError as error:
        return count <= 64, f"{count}: {error.strerror}"
    return False, str(count)


def thread_bomb():
    count = 0
    threading.stack_size(65536)
    try:
        for count in range(1, 401):
            threading.Thread(target=time.sleep, args=(60,), daemon=True).start()
    except RuntimeError as error:
        return count <= 64, f"{count}: {error}"
    return False, str(count)


def memory_bomb():
    blocks = []
    try:
        for _ in range(256):
            blocks.append(bytearray(b"x") * (4 << 20))
    except MemoryError:
        return True, f"{len(blocks) * 4} MiB"
    return False, "1 GiB"


def address_bomb():
    code = raw(9, 0, 1 << 40, 0, 0x4022, -1, 0)  # nothing, private, anonymous, no reserve
    return code == errno.ENOMEM, errno.errorcode.get(code, code)


def fd_bomb():
    fds = []
    try:
        for _ in range(5000):
            fds.append(os.open("/dev/null", os.O_RDONLY))
    except OSError as error:
        return len(fds) <= 256, f"{len(fds)}: {error.strerror}"
    return False, "5000"


def pipe_bomb():
    pinned = 0
    try:
        while pinned < 128 << 20:
            reader, writer = os.pipe()
            os.set_blocking(writer, False)
            pinned += os.write(writer, b"x" * (1 << 20))
    except OSError as error:
        return pinned < 16 << 20, f"{pinned >> 10} KiB: {error.strerror}"
    return False, str(pinned)


def disk_bomb():
    seen = []
    for folder in ("/tmp", "/dev/shm"):
        total = 0
        try:
            for name in range(64):
                with open(f"{folder}/fill{name}", "wb", buffering=0) as file:
                    for _ in range(4):
                        total += file.write(b"x" * (1 << 20))
        except OSError:
            pass
        seen.append(total >> 20)
    return max(seen) <= 64, f"MiB: {seen}"


def inode_bomb():
    count = 0
    try:
        for count in range(20000):
            os.close(os.open(f"/tmp/i{count}", os.O_CREAT | os.O_WRONLY))
    except OSError as error:
        return count < 10000, f"{count}: {error.strerror}"
    return False, str(count)


def sparse_bomb():
    fd = os.open("/tmp/sparse", os.O_CREAT | os.O_RDWR)
    return all_refused(lambda: os.ftruncate(fd, 1 << 40), lambda: os.posix_fallocate(fd, 0, 1 << 40),
                       lambda: os.pwrite(fd, b"x", 1 << 40))


def signal_bomb():
    signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGRTMIN})
    values = ctypes.create_string_buffer(128)
    sent = 0
    while sent < 20000 and libc.sigqueue(os.getpid(), signal.SIGRTMIN, values) == 0:
        sent += 1
    return sent < 1000, str(sent)


def mlock_bomb():
    block = ctypes.create_string_buffer(64 << 20)
    return libc.mlock(block, 64 << 20) != 0, ""


BOMBS = {f.__name__: f for f in (
    fork_bomb, thread_bomb, memory_bomb, address_bomb, fd_bomb, pipe_bomb, disk_bomb, inode_bomb,
    sparse_bomb, signal_bomb, mlock_bomb)}


def say(name, outcome):
    blocked, seen = outcome
    line = f"{name} {'blocked' if blocked else 'OPEN'} {seen}"
    os.write(1, line.replace("\n", " ").encode() + b"\n")


def attempt(name, probe):
    try:
        say(name, probe())
    except Exception as error:  # a probe that breaks has shown nothing
        say(name, (False, f"broken: {error!r}"))


def main(group):
    if group in BOMBS:
        attempt(group, BOMBS[group])
        os._exit(0)
    for name, probe in PROBES.items():
        attempt(name, probe)
    if os.uname().machine == "x86_64":
        for name in CALLS:
            attempt(name, lambda n=name: calls(n))
