"""saxpy.py - runs PTX on arrays of numpy, on several simulated GPUs, and compares their cycles.

    python3 saxpy.py [GPU ...]
"""

import sys

import heddle
import numpy

SAXPY = """
.version 6.4
.target sm_70
.address_size 64
.visible .entry saxpy(.param .u32 n, .param .f32 a, .param .u64 x, .param .u64 y) {
    .reg .pred %p;
    .reg .f32 %f<4>;
    .reg .b32 %r<5>;
    .reg .b64 %d<5>;
    mov.u32 %r0, %ctaid.x;
    mov.u32 %r1, %ntid.x;
    mov.u32 %r2, %tid.x;
    mad.lo.u32 %r3, %r0, %r1, %r2;
    ld.param.u32 %r4, [n];
    setp.ge.u32 %p, %r3, %r4;
    @%p bra done;
    ld.param.f32 %f0, [a];
    ld.param.u64 %d0, [x];
    ld.param.u64 %d1, [y];
    mul.wide.u32 %d2, %r3, 4;
    add.u64 %d3, %d0, %d2;
    add.u64 %d4, %d1, %d2;
    ld.global.f32 %f1, [%d3];
    ld.global.f32 %f2, [%d4];
    fma.rn.f32 %f3, %f0, %f1, %f2;
    st.global.f32 [%d4], %f3;
done:
    ret;
}
"""


def cycles(name: str, n: int = 20_000) -> int:
    """The cycles of saxpy on n elements."""
    x = numpy.arange(n, dtype=numpy.float32)
    y = numpy.ones(n, dtype=numpy.float32)
    with heddle.Gpu(name) as gpu:
        gpu.load_ptx(SAXPY, "saxpy.ptx")
        gpu.launch("saxpy", grid=(n + 255) // 256, block=256, args=[n, 2.0, x, y])
        if not (y == 2 * x + 1).all():
            sys.exit(f"{name}: wrong results")
        return gpu.kernels[0]["cycles"]


for gpu_name in sys.argv[1:] or ["v100", "a100-40"]:
    print(f"{gpu_name}: {cycles(gpu_name)} cycles")
