"""Makes LLVM modules cheaper with `hydride optimize`, each on a worker of a Ray cluster or in a process of this machine.

Workers share the answers on a Redis server, so that nothing is lost with one that ends: its module is given to another one,
which goes on from what the server has. A module's text goes to the worker and comes back; no folder needs to be shared. What
comes out is what one run of `hydride optimize` over all modules writes.

    pip install ray
    python optimize_modules.py --isa avx2 --cache redis://HOST --workers 8 *.ll
    python optimize_modules.py --engine processes --isa avx2 --cache redis://HOST --workers 2 *.ll

Each machine needs `hydride` and LLVM's tools, and the documents where `--specs` names them. Options after `--` are given to
`hydride optimize`.
"""

import argparse
import concurrent.futures
import pathlib
import shlex
import subprocess
import sys
import tempfile
from collections.abc import Iterator

# How often a module is given to another worker.
ATTEMPTS = 3


class Ended(Exception):
    """`hydride` was ended by a signal, so that another attempt may succeed."""


def optimized(command: list[str], name: str, text: str) -> tuple[str, str]:
    """A module's new text and the line that says what was done; the first elements of `command` start the program."""
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder, name)
        path.write_text(text, encoding="utf-8")
        run = subprocess.run([*command, str(path)], capture_output=True, text=True, check=False)
        if run.returncode < 0:
            raise Ended(f"{name}: {command[0]} was ended by signal {-run.returncode}")
        if run.returncode != 0:
            raise RuntimeError(f"{name}: {run.stderr.strip()}")
        changed = path.with_suffix(".opt.ll").read_text(encoding="utf-8")
        return changed, run.stdout.strip().replace(str(path), name)


def in_processes(workers: int, command: list[str], modules: list[pathlib.Path]) -> Iterator[tuple[str, str]]:
    """The modules in order, so many at a time on this machine."""

    def attempts(path: pathlib.Path) -> tuple[str, str]:
        text = path.read_text(encoding="utf-8")
        for attempt in range(ATTEMPTS):
            try:
                return optimized(command, path.name, text)
            except Ended as error:
                if attempt + 1 == ATTEMPTS:
                    raise
                print(f"{error}; it is tried again", file=sys.stderr)
        raise AssertionError("the last attempt returns or raises")

    with concurrent.futures.ThreadPoolExecutor(workers) as pool:
        yield from pool.map(attempts, modules)


def on_ray(workers: int, command: list[str], modules: list[pathlib.Path]) -> Iterator[tuple[str, str]]:
    """The modules in order, on the cluster that RAY_ADDRESS names, else on one that is started with so many workers."""
    import os

    import ray

    if os.environ.get("RAY_ADDRESS"):
        ray.init()
    else:
        ray.init(num_cpus=workers, include_dashboard=False)
    # A worker that is gone counts as an attempt too.
    remote = ray.remote(num_cpus=1, max_retries=ATTEMPTS, retry_exceptions=[Ended])(optimized)
    tasks = [remote.remote(command, path.name, path.read_text(encoding="utf-8")) for path in modules]
    for task in tasks:
        yield ray.get(task)
    ray.shutdown()


def main() -> int:
    """Reads the command line, and writes NAME.opt.ll beside each NAME.ll."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--engine", choices=["ray", "processes"], default="ray")
    parser.add_argument("--workers", type=int, default=2, help="modules at a time")
    parser.add_argument("--hydride", default="hydride", help="the program, with options, on each machine")
    parser.add_argument("--isa", required=True, help="what is compiled for")
    parser.add_argument("--cache", required=True, help="redis://HOST[:PORT]")
    parser.add_argument("modules", nargs="+", type=pathlib.Path, metavar="FILE.ll")
    arguments, extra = sys.argv[1:], []
    if "--" in arguments:
        at = arguments.index("--")
        arguments, extra = arguments[:at], arguments[at + 1 :]
    args = parser.parse_args(arguments)
    if not args.cache.startswith(("redis://", "redis+unix://")):
        parser.error("workers share a Redis server: --cache redis://HOST[:PORT]")
    command = [*shlex.split(args.hydride), "optimize", "--isa", args.isa, "--cache", args.cache, "--jobs", "1", *extra]
    engine = on_ray if args.engine == "ray" else in_processes
    try:
        for path, (text, line) in zip(args.modules, engine(args.workers, command, args.modules)):
            path.with_suffix(".opt.ll").write_text(text, encoding="utf-8")
            print(line, flush=True)
    except (Ended, RuntimeError, OSError) as error:
        print(f"error: {error}", file=sys.stderr)
        return 3
    return 0


if __name__ == "__main__":
    sys.exit(main())
