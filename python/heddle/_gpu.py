"""Simulated GPUs inside the process."""

from __future__ import annotations

import contextlib
import ctypes
import json
import os
import struct
import threading
import weakref
from ctypes import byref, c_bool, c_double, c_size_t, c_uint64, c_void_p
from typing import Any, Callable, Iterable, Mapping, Sequence

from . import _library
from ._arrays import HostArray, host_array, scalar_bytes
from ._errors import Error
from ._library import call

_TIMINGS = {"rtl": 0, "none": 1}


def _shape(value: int | Sequence[int], what: str) -> Any:
    """Three numbers, of which those left out are 1."""
    numbers = [value] if isinstance(value, int) else list(value)
    if not 1 <= len(numbers) <= 3:
        raise ValueError(f"{what}: one to three numbers, not {len(numbers)}")
    for n in numbers:
        if not isinstance(n, int) or not 0 < n < 1 << 32:
            raise ValueError(f"{what}: {n!r} is no number of 1 to 4294967295")
    return (ctypes.c_uint32 * 3)(*numbers, *[1] * (3 - len(numbers)))


def _settings(settings: Mapping[str, Any] | Iterable[str] | None) -> list[bytes]:
    """Texts KEY=VALUE."""
    if settings is None:
        return []
    if isinstance(settings, Mapping):
        settings = [f"{key}={value}" for key, value in settings.items()]
    return [text.encode() for text in settings]


class _Progress:
    """What a GPU calls while it simulates. Signals raise exceptions in the main thread alone, and
    there they could come before this function can catch them; so it runs in another one."""

    def __init__(self) -> None:
        self.tell: Callable[[dict[str, Any]], Any] | None = None
        self.raised: BaseException | None = None
        self.stop = False
        self.function = _library.ProgressFunction(self._call)

    def _call(self, _user: Any, progress: Any) -> bool:
        try:
            p = progress.contents
            if self.tell is not None and self.tell(
                    {"kernel": p.kernel.decode(errors="replace"), "launch": p.launch,
                     "ctas_done": p.ctas_done, "ctas": p.ctas, "cycles": p.cycles}) is False:
                self.stop = True
        except BaseException as error:  # it cannot pass through the library
            self.raised = error
            self.stop = True
        return not self.stop


class Memory:
    """Memory of a GPU (``Gpu.alloc``). It is freed with the GPU, or by ``free``."""

    def __init__(self, gpu: Gpu, address: int, nbytes: int) -> None:
        self.gpu = gpu
        self.address = address
        self.nbytes = nbytes

    def copy_in(self, array: Any) -> None:
        """Copies an array to the beginning of the memory."""
        self.gpu.copy_in(self, array)

    def copy_out(self, array: Any) -> None:
        """Fills an array from the beginning of the memory."""
        self.gpu.copy_out(array, self)

    def free(self) -> None:
        """Frees the memory, after the kernels that were launched."""
        call("heddle_gpu_free", self.gpu._handle, self.address)

    def __repr__(self) -> str:
        return f"<heddle.Memory 0x{self.address:x}, {self.nbytes} bytes>"


class Kernel:
    """A kernel of a module.

    ``name`` is its name in PTX, ``parameter_bytes`` the size of each parameter; ``registers`` (per
    thread), ``shared_bytes`` (static, per CTA), ``local_bytes`` (per thread) and ``max_threads``
    (of a CTA, 0: the GPU's limit) are what it needs.
    """

    def __init__(self, gpu: Gpu, handle: c_void_p) -> None:
        info = _library.KernelInfo()
        call("heddle_kernel_info", gpu._handle, handle, byref(info))
        self.gpu = gpu
        self._handle = handle
        self.name: str = info.name.decode()
        self.parameter_bytes: list[int] = list(info.parameter_bytes[:info.num_parameters])
        self.registers: int = info.registers
        self.shared_bytes: int = info.shared_bytes
        self.local_bytes: int = info.local_bytes
        self.max_threads: int = info.max_threads

    def __repr__(self) -> str:
        return f"<heddle.Kernel {self.name}>"


class Module:
    """Code that a GPU has loaded. ``kernels`` are its kernels, by name."""

    def __init__(self, gpu: Gpu, handle: c_void_p) -> None:
        self.gpu = gpu
        self._handle = handle
        self.kernels: dict[str, Kernel] = {}
        while True:
            kernel = c_void_p()
            try:
                call("heddle_module_kernel_at", gpu._handle, handle, len(self.kernels),
                     byref(kernel))
            except Error as error:
                if error.name != "HEDDLE_ERR_NO_SYMBOL":
                    raise
                break
            k = Kernel(gpu, kernel)
            self.kernels[k.name] = k

    def __getitem__(self, name: str) -> Kernel:
        """The kernel of that name."""
        kernel = c_void_p()
        if name not in self.kernels:  # the library says what is wrong
            call("heddle_module_kernel", self.gpu._handle, self._handle, name.encode(),
                 byref(kernel))
        return self.kernels[name]

    def variable(self, name: str) -> Memory:
        """The memory of a variable (.global or .const)."""
        address, nbytes = c_uint64(), c_uint64()
        call("heddle_module_variable", self.gpu._handle, self._handle, name.encode(),
             byref(address), byref(nbytes))
        return Memory(self.gpu, address.value, nbytes.value)


class Gpu:
    """A simulated GPU.

    gpu: a name (``heddle gpus`` lists them), or the path of a GPU's file.
    settings: other values for its parameters, {"sm.count": 8} or ["sm.count=8"].
    timing: "rtl": cycles from the timing core; "none": kernels run functionally, in no time.
    threads: of this machine that simulate it; results do not depend on them.
    timeout: seconds of simulated time that a kernel may take.

    One thread at a time may use a GPU; several GPUs may be used at the same time, and run in
    parallel. Use it in a ``with`` statement, or ``close`` it.
    """

    def __init__(self, gpu: str | os.PathLike[str] = "v100", *,
                 settings: Mapping[str, Any] | Iterable[str] | None = None, timing: str = "rtl",
                 threads: int = 1, timeout: float | None = None) -> None:
        if timing not in _TIMINGS:
            raise ValueError(f"timing {timing!r}: 'rtl' or 'none'")
        texts = _settings(settings)
        options = _library.GpuOptions(
            gpu=os.fsencode(gpu), settings=(ctypes.c_char_p * max(len(texts), 1))(*texts),
            num_settings=len(texts), timing=_TIMINGS[timing], threads=threads,
            timeout_ps=round(timeout * 1e12) if timeout else 0)
        self._open: c_void_p | None = None
        self._launched = False  # since the last wait for all
        handle = c_void_p()
        call("heddle_gpu_create", byref(handle), byref(options))
        self._open = handle
        self._end = weakref.finalize(self, _library.library().heddle_gpu_destroy, handle)
        self.modules: list[Module] = []
        self._progress = _Progress()
        call("heddle_gpu_set_progress", handle, self._progress.function, None)

    @property
    def _handle(self) -> c_void_p:
        if self._open is None:
            raise ValueError("the GPU is closed")
        return self._open

    def close(self) -> None:
        """Frees the GPU; work that is not finished is dropped."""
        if self._open is not None:
            self._open = None
            self._end()

    def __enter__(self) -> Gpu:
        return self

    def __exit__(self, *_error: Any) -> None:
        self.close()

    def _simulate(self, name: str, *arguments: Any) -> None:
        """A call that simulates. Raises what stopped it."""
        handle, progress = self._handle, self._progress
        if not self._launched:
            call(name, handle, *arguments)
            return
        errors: list[BaseException] = []
        done = threading.Event()

        def work() -> None:
            try:
                call(name, handle, *arguments)
            except BaseException as error:
                errors.append(error)
            done.set()

        progress.raised, progress.stop = None, False
        if threading.current_thread() is threading.main_thread():
            threading.Thread(target=work, name="heddle", daemon=True).start()
            while not done.is_set():
                try:
                    done.wait()
                except BaseException as error:  # Ctrl-C
                    progress.raised = progress.raised or error
                    progress.stop = True
        else:
            work()
        if progress.raised is not None:
            raise progress.raised
        if errors:
            raise errors[0]

    def set_progress(self, tell: Callable[[dict[str, Any]], Any] | None) -> None:
        """Lets `tell` know, up to five times a second, which kernel is simulated (``kernel``,
        ``launch``, ``ctas_done``, ``ctas``, ``cycles``). If it returns False, or raises, the
        launches that have not ended are given up. `tell` may be called in another thread, and
        makes no calls on the GPU."""
        self._progress.tell = tell

    # ---- code

    def load_ptx(self, text: str, name: str = "module") -> Module:
        """Loads PTX text and compiles its kernels. `name` stands in messages."""
        return self.load(text.encode(), name)

    def load(self, code: bytes, name: str = "module") -> Module:
        """Loads code: PTX, or a fat binary with PTX."""
        handle = c_void_p()
        call("heddle_module_load", self._handle, code, len(code), name.encode(), byref(handle))
        self.modules.append(Module(self, handle))
        return self.modules[-1]

    def kernel(self, name: str) -> Kernel:
        """The kernel of that name in the modules, the newest first."""
        for module in reversed(self.modules):
            if name in module.kernels:
                return module.kernels[name]
        raise KeyError(f"no module of the GPU has a kernel '{name}'")

    # ---- memory

    def alloc(self, nbytes: int) -> Memory:
        """Allocates memory of the GPU."""
        address = c_uint64()
        call("heddle_gpu_alloc", self._handle, nbytes, byref(address))
        return Memory(self, address.value, nbytes)

    def copy_in(self, to: Memory | int, array: Any) -> None:
        """Copies an array to memory of the GPU, or an address."""
        host = host_array(array)
        self._check(to, host)
        self._simulate("heddle_gpu_write", _address(to), host.address, host.nbytes)

    def copy_out(self, array: Any, source: Memory | int) -> None:
        """Fills an array from memory of the GPU, or an address."""
        host = host_array(array)
        if not host.writable:
            raise ValueError("the array cannot be written")
        self._check(source, host)
        self._simulate("heddle_gpu_read", host.address, _address(source), host.nbytes)

    def fill(self, memory: Memory, value: int = 0) -> None:
        """Sets all bytes of the memory to `value`."""
        if not 0 <= value <= 255:
            raise ValueError(f"fill: {value} is no byte")
        self._simulate("heddle_gpu_fill", memory.address, value, memory.nbytes)

    def _check(self, memory: Memory | int, host: HostArray) -> None:
        if not isinstance(memory, Memory):
            return
        if memory.gpu is not self:
            raise ValueError("the memory is another GPU's")
        if host.nbytes > memory.nbytes:
            raise ValueError(f"an array of {host.nbytes} bytes for memory of {memory.nbytes}")

    # ---- launches

    def launch(self, kernel: Kernel | str, grid: int | Sequence[int], block: int | Sequence[int],
               args: Sequence[Any] = (), *, shared: int = 0) -> int:
        """Launches a kernel with `grid` CTAs of `block` threads and `shared` bytes of dynamic
        shared memory per CTA. Returns the launch's number, from 0.

        An argument is: a number, with the size of its parameter; a scalar of ctypes or numpy, or a
        struct of ctypes, which has its own size; Memory, which passes its address; or an array. An
        array is copied into memory of the GPU, and back when the kernel has ended if it can be
        written; then the call waits for that. Without arrays, ``synchronize`` waits.
        """
        k = self.kernel(kernel) if isinstance(kernel, str) else kernel
        arrays: list[tuple[Memory, HostArray]] = []
        try:
            values = [self._argument(k, i, value, arrays) for i, value in enumerate(args)]
            number = self._launch(k, grid, block, values, shared)
            if arrays:
                self.synchronize()
            for memory, host in arrays:
                if host.writable and host.nbytes:
                    self._simulate("heddle_gpu_read", host.address, memory.address, host.nbytes)
        except BaseException:
            for memory, _ in arrays:
                with contextlib.suppress(Error):  # the GPU may be dead; the first error counts
                    memory.free()
            raise
        for memory, _ in arrays:
            memory.free()
        return number

    def _argument(self, kernel: Kernel, index: int, value: Any,
                  arrays: list[tuple[Memory, HostArray]]) -> bytes:
        """The bytes of an argument. An array gets memory, and is added to the list."""
        sizes = kernel.parameter_bytes
        size = sizes[index] if index < len(sizes) else 8  # the library refuses more arguments
        if isinstance(value, Memory):
            if value.gpu is not self:
                raise ValueError(f"argument {index}: the memory is another GPU's")
            return struct.pack("<Q", value.address)
        if isinstance(value, int):  # also bool
            try:
                return value.to_bytes(size, "little", signed=value < 0)
            except OverflowError:
                raise OverflowError(
                    f"argument {index}: {value} does not fit {size} bytes") from None
        if isinstance(value, float):
            if size not in (2, 4, 8):
                raise TypeError(f"argument {index}: a float for a parameter of {size} bytes")
            return struct.pack({2: "<e", 4: "<f", 8: "<d"}[size], value)
        scalar = scalar_bytes(value)
        if scalar is not None:
            return scalar
        try:
            host = host_array(value)
        except (TypeError, ValueError) as error:
            raise type(error)(f"argument {index}: {error}") from None
        memory = self.alloc(max(host.nbytes, 1))
        arrays.append((memory, host))
        if host.nbytes:
            self._simulate("heddle_gpu_write", memory.address, host.address, host.nbytes)
        return struct.pack("<Q", memory.address)

    def _launch(self, kernel: Kernel, grid: Any, block: Any, values: list[bytes],
                shared: int) -> int:
        keep = [ctypes.create_string_buffer(value, max(len(value), 1)) for value in values]
        arguments = (_library.Argument * max(len(values), 1))(
            *[_library.Argument(ctypes.addressof(k), len(v)) for k, v in zip(keep, values)])
        launch = _library.Launch(grid=_shape(grid, "grid"), block=_shape(block, "block"),
                                 shared_bytes=shared, arguments=arguments,
                                 num_arguments=len(values))
        number = c_uint64()
        self._launched = True
        call("heddle_gpu_launch", self._handle, kernel._handle, byref(launch), byref(number))
        return number.value

    def synchronize(self) -> None:
        """Simulates until all launches have ended. Raises the error of a kernel that has failed."""
        self._simulate("heddle_gpu_synchronize")
        self._launched = False

    def run_until(self, time_ps: int) -> bool:
        """Simulates up to a simulated time. Returns whether all launches have ended."""
        done = c_bool()
        self._simulate("heddle_gpu_run", time_ps, byref(done))
        return done.value

    @property
    def time_ps(self) -> int:
        """The host's simulated time, in picoseconds since the GPU was created."""
        ps = c_uint64()
        call("heddle_gpu_time", self._handle, byref(ps))
        return ps.value

    def output(self) -> str:
        """What kernels that have ended have printed since the last call."""
        text, nbytes = c_void_p(), c_size_t()
        call("heddle_gpu_output", self._handle, byref(text), byref(nbytes))
        return ctypes.string_at(text.value or b"", nbytes.value).decode(errors="replace")

    # ---- statistics

    def statistics(self) -> dict[str, int]:
        """The statistics of the whole GPU so far (docs/statistics.md)."""
        values = {}
        for row in _library.statistics("heddle_gpu_statistics"):
            value = c_uint64()
            call("heddle_gpu_statistic", self._handle, row.name, byref(value))
            values[row.name.decode()] = value.value
        return values

    def figure(self, launch: int, name: str) -> float:
        """One number of a launch that has ended, by its place in ``kernels`` and its name."""
        value = c_double()
        call("heddle_launch_statistic", self._handle, launch, name.encode(), byref(value))
        return value.value

    @property
    def kernels(self) -> list[dict[str, Any]]:
        """The launches that have ended, each as in `kernels` of report.json."""
        count = c_uint64()
        call("heddle_gpu_num_launches", self._handle, byref(count))
        rows = []
        for i in range(count.value):
            text = ctypes.c_char_p()
            call("heddle_launch_json", self._handle, i, byref(text))
            rows.append(json.loads(text.value or b""))
        return rows

    def forget_launches(self) -> None:
        """Empties ``kernels``, whose memory grows with every launch."""
        call("heddle_gpu_forget_launches", self._handle)


def _address(memory: Memory | int) -> int:
    return memory.address if isinstance(memory, Memory) else memory
