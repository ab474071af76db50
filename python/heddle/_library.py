"""libheddle.so through ctypes: the structs and functions of include/heddle.h."""

from __future__ import annotations

import ctypes
import functools
import os
from ctypes import (POINTER, Structure, byref, c_bool, c_char, c_char_p, c_double, c_int, c_size_t,
                    c_uint, c_uint8, c_uint32, c_uint64, c_void_p)
from typing import Any, Iterator

from ._errors import Error

SONAME = "libheddle.so.0"


class Diag(Structure):
    """struct heddle_diag"""

    _fields_ = [("err", c_int), ("text", c_char * 1024)]


class GpuOptions(Structure):
    """struct heddle_gpu_options"""

    _fields_ = [("gpu", c_char_p), ("settings", POINTER(c_char_p)), ("num_settings", c_size_t),
                ("timing", c_int), ("threads", c_uint), ("timeout_ps", c_uint64)]


class Progress(Structure):
    """struct heddle_progress"""

    _fields_ = [("kernel", c_char_p), ("launch", c_uint64), ("ctas_done", c_uint64),
                ("ctas", c_uint64), ("cycles", c_uint64)]


class KernelInfo(Structure):
    """struct heddle_kernel_info"""

    _fields_ = [("name", c_char_p), ("num_parameters", c_uint32),
                ("parameter_bytes", POINTER(c_uint32)), ("registers", c_uint32),
                ("shared_bytes", c_uint32), ("local_bytes", c_uint32), ("max_threads", c_uint32)]


class Argument(Structure):
    """struct heddle_argument"""

    _fields_ = [("value", c_void_p), ("bytes", c_size_t)]


class Launch(Structure):
    """struct heddle_launch"""

    _fields_ = [("grid", c_uint32 * 3), ("block", c_uint32 * 3), ("shared_bytes", c_uint32),
                ("arguments", POINTER(Argument)), ("num_arguments", c_size_t)]


class Statistic(Structure):
    """struct heddle_statistic"""

    _fields_ = [("name", c_char_p), ("unit", c_char_p), ("meaning", c_char_p)]


ProgressFunction = ctypes.CFUNCTYPE(c_bool, c_void_p, POINTER(Progress))

# The functions that return an error and take a diag as their last argument; the others below.
_CALLS: dict[str, list[Any]] = {
    "heddle_gpu_create": [POINTER(c_void_p), POINTER(GpuOptions)],
    "heddle_gpu_set_progress": [c_void_p, ProgressFunction, c_void_p],
    "heddle_module_load": [c_void_p, c_char_p, c_size_t, c_char_p, POINTER(c_void_p)],
    "heddle_module_kernel": [c_void_p, c_void_p, c_char_p, POINTER(c_void_p)],
    "heddle_module_kernel_at": [c_void_p, c_void_p, c_uint32, POINTER(c_void_p)],
    "heddle_module_variable": [c_void_p, c_void_p, c_char_p, POINTER(c_uint64), POINTER(c_uint64)],
    "heddle_kernel_info": [c_void_p, c_void_p, POINTER(KernelInfo)],
    "heddle_gpu_alloc": [c_void_p, c_uint64, POINTER(c_uint64)],
    "heddle_gpu_free": [c_void_p, c_uint64],
    "heddle_gpu_write": [c_void_p, c_uint64, c_void_p, c_uint64],
    "heddle_gpu_read": [c_void_p, c_void_p, c_uint64, c_uint64],
    "heddle_gpu_fill": [c_void_p, c_uint64, c_uint8, c_uint64],
    "heddle_gpu_launch": [c_void_p, c_void_p, POINTER(Launch), POINTER(c_uint64)],
    "heddle_gpu_synchronize": [c_void_p],
    "heddle_gpu_run": [c_void_p, c_uint64, POINTER(c_bool)],
    "heddle_gpu_time": [c_void_p, POINTER(c_uint64)],
    "heddle_gpu_output": [c_void_p, POINTER(c_void_p), POINTER(c_size_t)],
    "heddle_gpu_statistic": [c_void_p, c_char_p, POINTER(c_uint64)],
    "heddle_gpu_num_launches": [c_void_p, POINTER(c_uint64)],
    "heddle_launch_statistic": [c_void_p, c_uint64, c_char_p, POINTER(c_double)],
    "heddle_launch_json": [c_void_p, c_uint64, POINTER(c_char_p)],
    "heddle_gpu_forget_launches": [c_void_p],
}


def _places() -> Iterator[str]:
    """Where the library may be: $HEDDLE_LIBRARY; PREFIX/lib or the build tree around this package;
    where the system's loader looks."""
    named = os.environ.get("HEDDLE_LIBRARY")
    if named:
        yield named
        return
    package = os.path.dirname(os.path.realpath(__file__))
    for above in ("../../..", "../../build/lib"):
        path = os.path.normpath(os.path.join(package, above, SONAME))
        if os.path.exists(path):
            yield path
    yield SONAME


@functools.lru_cache(maxsize=None)
def library() -> ctypes.CDLL:
    """Loads the library on first use."""
    said = ""
    for place in _places():
        try:
            lib = ctypes.CDLL(place)
        except OSError as error:
            said = said or str(error)
            continue
        for name, types in _CALLS.items():
            function = getattr(lib, name)
            function.argtypes = [*types, POINTER(Diag)]
            function.restype = c_int
        lib.heddle_gpu_destroy.argtypes = [c_void_p]
        lib.heddle_gpu_destroy.restype = c_int
        lib.heddle_version.restype = c_char_p
        lib.heddle_err_name.argtypes = [c_int]
        lib.heddle_err_name.restype = c_char_p
        for name in ("heddle_gpu_statistics", "heddle_launch_statistics"):
            getattr(lib, name).argtypes = [POINTER(c_size_t)]
            getattr(lib, name).restype = POINTER(Statistic)
        return lib
    raise ImportError(f"Heddle's library cannot be loaded: {said}; set HEDDLE_LIBRARY to the path "
                      f"of {SONAME}")


def call(name: str, *arguments: Any) -> None:
    """Calls a function of _CALLS. Raises the error that it returns."""
    lib = library()
    diag = Diag()
    code = getattr(lib, name)(*arguments, byref(diag))
    if code:
        known = lib.heddle_err_name(code)
        said = diag.text.decode(errors="replace")
        raise Error(said, known.decode() if known else str(code), code)


def version() -> str:
    """The version of Heddle's library."""
    return library().heddle_version().decode()


def statistics(name: str) -> list[Statistic]:
    """The rows of heddle_gpu_statistics or heddle_launch_statistics."""
    count = c_size_t()
    rows = getattr(library(), name)(byref(count))
    return [rows[i] for i in range(count.value)]


class _Symbol(Structure):
    """Dl_info of dladdr(3)"""

    _fields_ = [("file", c_char_p), ("base", c_void_p), ("name", c_char_p), ("address", c_void_p)]


def command() -> str:
    """The path of the command `heddle` that belongs to the library."""
    symbol = _Symbol()
    function = ctypes.cast(library().heddle_version, c_void_p)
    dladdr = ctypes.CDLL(None).dladdr
    dladdr.argtypes = [c_void_p, POINTER(_Symbol)]
    if not dladdr(function, byref(symbol)):
        raise ImportError("the path of Heddle's library is not known")
    folder = os.path.dirname(os.path.realpath(os.fsdecode(symbol.file)))
    return os.path.normpath(os.path.join(folder, "../bin/heddle"))
