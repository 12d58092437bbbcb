"""A tour of the library, run in the sandbox: what ordinary programs do must work there."""
import importlib
import os
import sys

MODULES = """abc argparse array ast asyncio base64 bisect bz2 calendar cmath codecs collections
concurrent.futures configparser contextlib copy csv ctypes dataclasses datetime decimal difflib email
enum fnmatch fractions functools gc getpass glob gzip hashlib heapq hmac html http.client importlib
inspect io itertools json locale logging lzma math mimetypes operator pathlib pickle platform pprint
pwd queue random re secrets select shelve shlex shutil signal socket sqlite3 ssl statistics string
struct subprocess tarfile tempfile textwrap threading time timeit tokenize traceback types typing
unicodedata unittest urllib.parse uuid warnings weakref xml.etree.ElementTree zipfile zlib
zoneinfo""".split()

STEPS = []


def step(function):
    STEPS.append(function)
    return function


@step
def imports():
    for name in MODULES:
        importlib.import_module(name)


@step
def threads():
    import threading
    seen = []
    workers = [threading.Thread(target=seen.append, args=(n,)) for n in range(24)]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()
    assert sorted(seen) == list(range(24))


@step
def thread_pool():
    from concurrent.futures import ThreadPoolExecutor
    with ThreadPoolExecutor(8) as pool:
        assert sum(pool.map(lambda n: n * n, range(100))) == 328350


@step
def async_tasks():
    import asyncio

    async def work(n):
        await asyncio.sleep(0.001)
        return await asyncio.to_thread(lambda: n + 1)

    async def main():
        return await asyncio.gather(*[work(n) for n in range(20)])
    assert asyncio.run(main()) == list(range(1, 21))


@step
def database_in_memory():
    import sqlite3
    base = sqlite3.connect(":memory:")
    base.execute("create table t(a)")
    base.executemany("insert into t values (?)", [(n,) for n in range(100)])
    assert base.execute("select sum(a) from t").fetchone() == (4950,)


@step
def database_in_a_file():
    import sqlite3
    for mode in ("delete", "wal"):
        base = sqlite3.connect(f"/tmp/{mode}.db")
        base.execute(f"pragma journal_mode={mode}")
        base.execute("create table t(a)")
        base.execute("insert into t values (1)")
        base.commit()
        base.close()
        assert sqlite3.connect(f"/tmp/{mode}.db").execute("select * from t").fetchall() == [(1,)]


@step
def archives():
    import io
    import tarfile
    import zipfile
    with zipfile.ZipFile("/tmp/a.zip", "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("a.txt", "hello " * 1000)
    with zipfile.ZipFile("/tmp/a.zip") as archive:
        archive.extractall("/tmp/out")
    with tarfile.open("/tmp/a.tar.gz", "w:gz") as archive:
        archive.add("/tmp/out/a.txt", "b.txt")
    with tarfile.open("/tmp/a.tar.gz") as archive:
        archive.extractall("/tmp/out2")
        assert archive.extractfile("b.txt").read() == b"hello " * 1000
    assert io.BytesIO(b"x").read() == b"x"


@step
def temporary_files():
    import tempfile
    with tempfile.TemporaryDirectory() as folder, tempfile.NamedTemporaryFile(dir=folder) as file:
        file.write(b"abc")
        file.flush()
        assert os.path.getsize(file.name) == 3
    with tempfile.TemporaryFile() as file:
        file.write(b"abc")
    assert tempfile.gettempdir() == "/tmp"


@step
def copying():
    import pathlib
    import shutil
    source = pathlib.Path("/tmp/source")
    source.mkdir()
    (source / "a").write_text("x" * 100000)
    shutil.copytree(source, "/tmp/copy")
    shutil.copy2("/tmp/copy/a", "/tmp/copy/b")
    shutil.move("/tmp/copy", "/tmp/moved")
    assert sorted(p.name for p in pathlib.Path("/tmp/moved").iterdir()) == ["a", "b"]
    shutil.rmtree("/tmp/moved")


@step
def compressing():
    import bz2
    import gzip
    import lzma
    import zlib
    for module in (bz2, gzip, lzma, zlib):
        assert module.decompress(module.compress(b"abc" * 1000)) == b"abc" * 1000


@step
def dates():
    import datetime
    import zoneinfo
    when = datetime.datetime(2026, 7, 1, 12, tzinfo=zoneinfo.ZoneInfo("Europe/Berlin"))
    assert when.utcoffset() == datetime.timedelta(hours=2)
    assert datetime.datetime.now().astimezone().utcoffset() is not None


@step
def randomness():
    import random
    import secrets
    import uuid
    assert len(secrets.token_bytes(8)) == 8 and uuid.uuid4() != uuid.uuid4()
    assert len(os.urandom(16)) == 16 and 0 <= random.random() < 1


@step
def identity():
    import getpass
    import pwd
    assert pwd.getpwuid(os.getuid()).pw_dir == "/tmp" and getpass.getuser()
    assert os.path.expanduser("~") == "/tmp"


@step
def socket_pairs():
    import socket
    one, other = socket.socketpair()
    one.sendall(b"hello")
    assert other.recv(16) == b"hello"
    other.close()
    one.close()


@step
def pipes_and_polls():
    import select
    reader, writer = os.pipe()
    poll = select.epoll()
    poll.register(reader, select.EPOLLIN)
    os.write(writer, b"x")
    assert poll.poll(1) == [(reader, select.EPOLLIN)]


@step
def forks():
    pid = os.fork()
    if pid == 0:
        os._exit(7)
    assert os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]) == 7


@step
def another_interpreter():
    import subprocess
    result = subprocess.run(["/usr/bin/python3", "-I", "-S", "-c", "print(6 * 7)"], check=True,
                            capture_output=True)
    assert result.stdout == b"42\n"


@step
def signals_and_timers():
    import signal
    seen = []
    signal.signal(signal.SIGALRM, lambda *args: seen.append(args))
    signal.setitimer(signal.ITIMER_REAL, 0.01)
    while not seen:
        signal.pause()


@step
def mapped_files():
    import mmap
    with open("/tmp/mapped", "w+b") as file:
        file.truncate(8192)
        with mmap.mmap(file.fileno(), 0) as area:
            area[:5] = b"hello"
            area.flush()
    with open("/tmp/mapped", "rb") as file:
        assert file.read(5) == b"hello"


@step
def persistent_objects():
    import pickle
    import shelve
    with shelve.open("/tmp/shelf") as shelf:
        shelf["a"] = [1, 2]
    assert pickle.loads(pickle.dumps({"a": 1})) == {"a": 1}


@step
def foreign_functions():
    import ctypes
    library = ctypes.CDLL(None)
    assert library.getpid() == os.getpid() and library.abs(-3) == 3


@step
def hashes():
    import hashlib
    for name in ("sha256", "sha3_256", "blake2b", "md5"):
        assert hashlib.new(name, b"abc").digest()


@step
def logs_and_texts():
    import csv
    import io
    import json
    import logging
    import xml.etree.ElementTree as tree
    logging.basicConfig(stream=io.StringIO())
    logging.warning("x")
    csv.writer(io.StringIO()).writerow([1, "a,b"])
    assert json.loads(json.dumps({"a": [1.5, None]})) == {"a": [1.5, None]}
    assert tree.fromstring("<a><b/></a>").find("b") is not None


@step
def numbers_of_numpy():
    sys.path.append("/usr/lib/python3/dist-packages")
    try:
        import numpy
    except ModuleNotFoundError:
        return
    matrix = numpy.random.default_rng(1).random((64, 64))
    assert numpy.allclose(numpy.linalg.inv(matrix) @ matrix, numpy.eye(64))


@step
def tables_of_pandas():
    try:
        import pandas
    except ModuleNotFoundError:
        return
    assert pandas.DataFrame({"a": [1, 2], "b": [3, 4]}).sum().sum() == 10


def main():
    import traceback
    good = True
    for function in STEPS:
        try:
            function()
            os.write(1, f"works {function.__name__}\n".encode())
        except BaseException:
            good = False
            last = traceback.format_exc().strip().replace("\n", " | ")
            os.write(1, f"broken {function.__name__} {last}\n".encode())
    os.write(1, b"works all of it\n" if good else b"broken something\n")


main()
