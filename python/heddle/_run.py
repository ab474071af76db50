"""Runs of CUDA programs: `heddle run` as a process."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import tempfile
import weakref
from pathlib import Path
from typing import Any, Iterable, Mapping, Sequence

from . import _library
from ._errors import RunError

_HEDDLE_FAILED = 125


class Run:
    """A run that has ended.

    ``report`` is report.json; ``kernels`` its list of launches, a dict for each, which
    pandas.DataFrame takes; ``calls`` its CUDA calls and ``statistics`` its statistics. ``stdout``,
    ``stderr`` and ``status`` are the program's. ``directory`` has the files of the report; a
    temporary one is removed with the object.
    """

    def __init__(self, directory: Path, process: subprocess.CompletedProcess[str],
                 temporary: bool = False) -> None:
        self.directory = directory
        self.stdout = process.stdout
        self.stderr = process.stderr
        self.status = process.returncode
        self.report: dict[str, Any] = json.loads((directory / "report.json").read_text())
        if temporary:
            weakref.finalize(self, shutil.rmtree, directory, True)

    @property
    def kernels(self) -> list[dict[str, Any]]:
        """The launches. A run of many has the first and the last of each GPU here, and all of them
        in the file kernels.csv.zst."""
        return self.report["kernels"]

    @property
    def calls(self) -> list[dict[str, Any]]:
        """The CUDA calls of the program: a dict for each with `name`, `count` and more."""
        return self.report["cuda_calls"]

    @property
    def statistics(self) -> dict[str, int]:
        """The statistics of the whole run, by name (docs/statistics.md)."""
        return {row["name"]: row["value"] for row in self.report["statistics"]}


def _option(name: str, value: Any) -> list[str]:
    """An option of `heddle run` from a keyword argument: trace_api=True is --trace-api."""
    option = "--" + name.replace("_", "-")
    if value is None or value is False:
        return []
    if value is True:
        return [option]
    if isinstance(value, (list, tuple)):
        return [text for one in value for text in (option, str(one))]
    return [option, os.fspath(value) if isinstance(value, os.PathLike) else str(value)]


def _message(process: subprocess.CompletedProcess[str]) -> str:
    """What Heddle said, or how the program ended."""
    lines = [line.split(": ", 2)[2] for line in process.stderr.splitlines()
             if line.startswith("heddle: error: ")]
    if lines:
        return "\n".join(lines)
    return f"the program has ended with status {process.returncode}"


def run(program: Sequence[str | os.PathLike[str]], *,
        gpu: str | os.PathLike[str] | None = None,
        settings: Mapping[str, Any] | Iterable[str] | None = None,
        out: str | os.PathLike[str] | None = None, check: bool = True,
        cwd: str | os.PathLike[str] | None = None, env: Mapping[str, str] | None = None,
        input: str | None = None, **options: Any) -> Run:
    """Runs a CUDA program on a simulated GPU and returns its report.

    program: the program and its arguments.
    gpu, settings: as for ``Gpu``.
    out: the directory of the report, by itself a temporary one.
    check: raise RunError if the program ends with another status than 0.
    cwd, env, input: the program's directory, environment and standard input.
    options: further options of `heddle run`, with "_" for "-": timing="none", trace_api=True,
    kernels="saxpy*". A list repeats the option.

    Raises RunError with Heddle's message if the run is not possible.
    """
    if isinstance(program, (str, bytes, os.PathLike)):
        program = [program]  # type: ignore[list-item]
    temporary = out is None
    if out is None:
        out = tempfile.mkdtemp(prefix="heddle-")
    if isinstance(settings, Mapping):
        settings = [f"{key}={value}" for key, value in settings.items()]
    line = [_library.command(), "run", "--quiet", "--out", os.fspath(out)]
    line += _option("gpu", gpu) + _option("set", list(settings or []))
    for name, value in options.items():
        line += _option(name, value)
    line += ["--", *[os.fspath(part) for part in program]]
    directory = Path(out).resolve() if cwd is None else Path(cwd, out).resolve()
    try:
        return _do(line, directory, temporary, check, cwd=cwd, env=env, input=input)
    except BaseException:
        if temporary:
            shutil.rmtree(directory, ignore_errors=True)
        raise


def _do(line: list[str], directory: Path, temporary: bool, check: bool, *, cwd: Any, env: Any,
        input: str | None) -> Run:
    """Runs the command line, whose report goes into the directory."""
    process = subprocess.run(line, cwd=cwd, env=None if env is None else dict(env), input=input,
                             stdin=None if input is not None else subprocess.DEVNULL,
                             capture_output=True, text=True, errors="replace")
    failed = process.returncode == _HEDDLE_FAILED or not (directory / "report.json").exists()
    if failed or (check and process.returncode):
        raise RunError(_message(process), process.returncode, process.stdout, process.stderr)
    return Run(directory, process, temporary)
