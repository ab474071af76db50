"""Simulated NVIDIA GPUs.

``Gpu`` is a GPU inside this process: it loads PTX, has memory, and runs kernels on arrays.
``run`` runs a CUDA program as ``heddle run`` does and returns its report.

    import heddle
    with heddle.Gpu("v100") as gpu:
        gpu.load_ptx(text)
        gpu.launch("saxpy", grid=40, block=256, args=[n, 2.0, x, y])   # x, y: arrays
        print(gpu.kernels[0]["cycles"])

The package needs nothing besides Python and Heddle. docs/python.md has a tour.
"""

from ._errors import Error, RunError
from ._gpu import Gpu, Kernel, Memory, Module
from ._library import version
from ._run import Run, run

__all__ = ["Error", "Gpu", "Kernel", "Memory", "Module", "Run", "RunError", "run", "version"]
