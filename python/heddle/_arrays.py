"""Memory of arrays: what the buffer protocol or ``__array_interface__`` tells of it."""

from __future__ import annotations

import ctypes
import math
from typing import Any


class HostArray:
    """The bytes of an array of this process, in one piece. Keeps the array alive."""

    def __init__(self, array: Any, address: int, nbytes: int, writable: bool, keep: Any) -> None:
        self.array = array
        self.address = address
        self.nbytes = nbytes
        self.writable = writable
        self._keep = keep


def _of_interface(array: Any, interface: Any) -> HostArray:
    if interface.get("strides") is not None:
        raise ValueError("the array is not contiguous in memory (make a copy in C order)")
    address, read_only = interface["data"]
    nbytes = math.prod(interface["shape"]) * int(interface["typestr"][2:])
    return HostArray(array, address, nbytes, not read_only, array)


def _of_buffer(array: Any, view: memoryview) -> HostArray:
    if not view.c_contiguous:
        raise ValueError("the array is not contiguous in memory (make a copy in C order)")
    if view.readonly:
        copy = ctypes.create_string_buffer(view.tobytes(), max(view.nbytes, 1))
        return HostArray(array, ctypes.addressof(copy), view.nbytes, False, copy)
    if view.nbytes == 0:
        return HostArray(array, 0, 0, True, view)
    piece = (ctypes.c_char * view.nbytes).from_buffer(view)
    return HostArray(array, ctypes.addressof(piece), view.nbytes, True, (view, piece))


def host_array(array: Any) -> HostArray:
    """The memory of an array. Raises TypeError for other objects, ValueError for an array with gaps
    or in another order than C's."""
    interface = getattr(array, "__array_interface__", None)
    if interface is not None:
        return _of_interface(array, interface)
    try:
        view = memoryview(array)
    except TypeError:
        raise TypeError(f"{type(array).__name__} is no array: it has neither the buffer protocol "
                        "nor __array_interface__") from None
    return _of_buffer(array, view)


def scalar_bytes(value: Any) -> bytes | None:
    """The bytes of a scalar with a type: one of ctypes, or of numpy. None: it is none."""
    if isinstance(value, (ctypes._SimpleCData, ctypes.Structure, ctypes.Union)):
        return bytes(value)
    if hasattr(value, "__array_interface__") and hasattr(value, "item"):
        if value.__array_interface__["shape"] == () and not hasattr(value, "__setitem__"):
            return value.tobytes()
    return None
