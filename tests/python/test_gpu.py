"""GPUs of the Python package: arrays, scalars, memory, launches, figures, errors."""

import array
import ctypes
import gc
import signal
import threading
import unittest

import heddle
from heddle_test import ENDLESS, numpy, saxpy, with_numpy

SMALL = {"sm.count": 8}


def functional(**options):
    return heddle.Gpu(timing="none", **options)


class Launches(unittest.TestCase):
    def setUp(self):
        self.gpu = functional()
        self.gpu.load_ptx(saxpy(), "saxpy.ptx")
        self.addCleanup(self.gpu.close)

    def test_arrays_of_the_standard_library(self):
        x, y = array.array("f", range(1000)), array.array("f", [1] * 1000)
        number = self.gpu.launch("saxpy", 4, 256, [1000, 2.0, x, y])
        self.assertEqual(number, 0)
        self.assertEqual(list(y), [2 * i + 1 for i in range(1000)])
        self.assertEqual(list(x), list(range(1000)))

    def test_scalars_of_ctypes(self):
        x, y = array.array("f", [3]), (ctypes.c_float * 1)(4)
        self.gpu.launch("saxpy", (1, 1), (32,), [ctypes.c_uint32(1), ctypes.c_float(2), x, y])
        self.assertEqual(y[0], 10)

    def test_arrays_that_cannot_be_written_are_copied_in(self):
        x = bytes(array.array("f", [3]))
        y = array.array("f", [4])
        self.gpu.launch("saxpy", 1, 32, [1, 2.0, x, y])
        self.assertEqual(y[0], 10)
        self.assertEqual(x, bytes(array.array("f", [3])))

    @with_numpy
    def test_arrays_and_scalars_of_numpy(self):
        x = numpy.arange(12, dtype="f4").reshape(3, 4)
        y = numpy.ones((3, 4), dtype="f4")
        self.gpu.launch("saxpy", 1, 32, [numpy.uint32(12), numpy.float32(2), x, y])
        self.assertTrue((y == 2 * x + 1).all())
        y.setflags(write=False)
        self.gpu.launch("saxpy", 1, 32, [12, 2.0, x, y])
        self.assertTrue((y == 2 * x + 1).all(), "it is not written")
        for gaps in (numpy.zeros((4, 4), dtype="f4", order="F"), numpy.zeros(8, dtype="f4")[::2]):
            with self.assertRaisesRegex(ValueError, "argument 2: .* not contiguous"):
                self.gpu.launch("saxpy", 1, 32, [4, 2.0, gaps, y])

    def test_memory_stays_between_launches(self):
        x, y = self.gpu.alloc(400), self.gpu.alloc(400)
        x.copy_in(array.array("f", range(100)))
        self.gpu.fill(y, 0)
        for _ in range(3):
            self.gpu.launch("saxpy", 1, 128, [100, 1.0, x, y])
        got = array.array("f", [0] * 100)
        y.copy_out(got)
        self.assertEqual(list(got), [3 * i for i in range(100)])
        self.assertEqual([k["launch"] for k in self.gpu.kernels], [0, 1, 2])
        x.free()
        with self.assertRaisesRegex(heddle.Error, "or it was freed"):
            x.free()

    def test_wrong_arguments(self):
        y = array.array("f", [4])
        with self.assertRaisesRegex(heddle.Error, "3 arguments were given, it has 4 parameters"):
            self.gpu.launch("saxpy", 1, 32, [1, 2.0, y])
        with self.assertRaisesRegex(heddle.Error, "argument 0 has 8 bytes, parameter 0 has 4") as e:
            self.gpu.launch("saxpy", 1, 32, [ctypes.c_uint64(1), 2.0, y, y])
        self.assertEqual(e.exception.name, "HEDDLE_ERR_LAUNCH")
        with self.assertRaisesRegex(OverflowError, "argument 0: 4294967296 does not fit 4 bytes"):
            self.gpu.launch("saxpy", 1, 32, [1 << 32, 2.0, y, y])
        with self.assertRaisesRegex(TypeError, "argument 2: NoneType is no array"):
            self.gpu.launch("saxpy", 1, 32, [1, 2.0, None, y])
        with self.assertRaisesRegex(heddle.Error, "2048 x 1 x 1 threads cannot be launched"):
            self.gpu.launch("saxpy", 1, 2048, [1, 2.0, y, y])
        with self.assertRaisesRegex(ValueError, "grid: 0 is no number"):
            self.gpu.launch("saxpy", 0, 32, [1, 2.0, y, y])
        with self.assertRaisesRegex(ValueError, "one to three numbers, not 4"):
            self.gpu.launch("saxpy", 1, (1, 1, 1, 1), [1, 2.0, y, y])
        with self.assertRaisesRegex(KeyError, "no module of the GPU has a kernel 'sapxy'"):
            self.gpu.launch("sapxy", 1, 32)
        with functional() as other:
            with self.assertRaisesRegex(ValueError, "argument 2: the memory is another GPU's"):
                self.gpu.launch("saxpy", 1, 32, [1, 2.0, other.alloc(4), y])

    def test_a_kernel_that_fails(self):
        y = array.array("f", [4])
        with self.assertRaisesRegex(heddle.Error, "kernel saxpy") as e:
            self.gpu.launch("saxpy", 1, 32, [1, 2.0, ctypes.c_uint64(1 << 40), y])
        self.assertEqual(e.exception.name, "HEDDLE_ERR_ILLEGAL_ADDRESS")
        self.assertEqual(y[0], 4)
        x = array.array("f", [3])
        self.gpu.launch("saxpy", 1, 32, [1, 2.0, x, y])
        self.assertEqual(y[0], 10)

    def test_progress_stops(self):
        told = []
        self.gpu.load_ptx(ENDLESS)

        def stop(progress):
            told.append(progress["kernel"])
            return False

        self.gpu.set_progress(stop)
        self.gpu.launch("endless", 1, 1)
        with self.assertRaisesRegex(heddle.Error, "given up"):
            self.gpu.synchronize()
        self.assertEqual(told, ["endless"])

        def fail(_progress):
            raise LookupError("my own")

        self.gpu.set_progress(fail)
        self.gpu.launch("endless", 1, 1)
        with self.assertRaisesRegex(LookupError, "my own"):
            self.gpu.synchronize()

    def test_ctrl_c(self):
        self.gpu.load_ptx(ENDLESS)
        self.gpu.launch("endless", 1, 1)
        before = signal.signal(signal.SIGALRM, signal.default_int_handler)
        signal.setitimer(signal.ITIMER_REAL, 0.5)
        try:
            with self.assertRaises(KeyboardInterrupt):
                self.gpu.synchronize()
        finally:
            signal.signal(signal.SIGALRM, before)
        self.gpu.synchronize()


class Gpus(unittest.TestCase):
    def test_what_cannot_be_made(self):
        with self.assertRaisesRegex(heddle.Error, "v101") as e:
            heddle.Gpu("v101")
        self.assertEqual(e.exception.name, "HEDDLE_ERR_CONFIG")
        with self.assertRaisesRegex(heddle.Error, "sm.cuont"):
            heddle.Gpu(settings={"sm.cuont": 4})
        with self.assertRaisesRegex(heddle.Error, "100000"):
            heddle.Gpu(settings=["sm.count=100000"])
        with self.assertRaisesRegex(ValueError, "timing 'fast'"):
            heddle.Gpu(timing="fast")

    def test_closed(self):
        gpu = functional()
        memory = gpu.alloc(4)
        gpu.close()
        gpu.close()
        for use in (gpu.synchronize, lambda: gpu.alloc(4), memory.free, gpu.statistics):
            with self.assertRaisesRegex(ValueError, "the GPU is closed"):
                use()

    def test_wrong_code(self):
        with functional() as gpu:
            with self.assertRaisesRegex(heddle.Error, "mine.ptx:3:") as e:
                gpu.load_ptx(".version 6.4\n.target sm_70\nnonsense\n", "mine.ptx")
            self.assertEqual(e.exception.name, "HEDDLE_ERR_PTX_SYNTAX")
            with self.assertRaisesRegex(heddle.Error, "machine code"):
                gpu.load(b"\x7fELF and so on")

    def test_memory(self):
        with functional(settings={"dram.size": 1 << 30}) as gpu:
            with self.assertRaisesRegex(heddle.Error, "out of device memory") as e:
                gpu.alloc(1 << 30)
            self.assertEqual(e.exception.name, "HEDDLE_ERR_NOMEM")
            memory = gpu.alloc(8)
            with self.assertRaisesRegex(ValueError, "12 bytes for memory of 8"):
                memory.copy_in(array.array("f", [1, 2, 3]))
            with self.assertRaisesRegex(ValueError, "cannot be written"):
                memory.copy_out(b"12345678")
            with self.assertRaisesRegex(heddle.Error, "do not lie in one allocation"):
                gpu.copy_in(memory.address + 4, array.array("d", [1]))
            with self.assertRaisesRegex(ValueError, "256 is no byte"):
                gpu.fill(memory, 256)

    def test_module(self):
        with functional() as gpu:
            module = gpu.load_ptx(saxpy(), "saxpy.ptx")
            self.assertEqual(list(module.kernels), ["saxpy"])
            self.assertEqual(module["saxpy"].parameter_bytes, [4, 4, 8, 8])
            self.assertGreater(module["saxpy"].registers, 0)
            with self.assertRaisesRegex(heddle.Error, "saxpy.ptx has no kernel 'other'"):
                module["other"]
            with self.assertRaisesRegex(heddle.Error, "saxpy.ptx has no variable 'v'"):
                module.variable("v")

    def test_ends_with_its_last_reference(self):
        for _ in range(100):  # the emulation has 64 devices
            gpu = heddle.Gpu(settings=SMALL)
            del gpu
            gc.collect()


class Timing(unittest.TestCase):
    """What needs the timing core."""

    def figures(self, **options):
        with heddle.Gpu("v100", settings=SMALL, **options) as gpu:
            gpu.load_ptx(saxpy())
            x, y = array.array("f", range(5000)), array.array("f", [1] * 5000)
            gpu.launch("saxpy", 20, 256, [5000, 2.0, x, y])
            self.assertEqual(y[4999], 9999)
            self.assertEqual(gpu.figure(0, "cycles"), gpu.kernels[0]["cycles"])
            self.assertGreater(gpu.time_ps, gpu.kernels[0]["end_ps"])
            self.assertEqual(gpu.statistics()["link_to_device_bytes"], 40000)
            self.assertEqual(gpu.output(), "")
            return gpu.kernels

    def test_same_figures_at_once(self):
        alone = self.figures()
        self.assertEqual(len(alone), 1)
        self.assertGreater(alone[0]["cycles"], 1000)
        got = []
        threads = [threading.Thread(target=lambda: got.append(self.figures())) for _ in range(2)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        self.assertEqual(got, [alone, alone])
        self.assertEqual(self.figures(threads=2), alone)

    def test_run_until(self):
        with heddle.Gpu(settings=SMALL) as gpu:
            gpu.load_ptx(saxpy())
            x = gpu.alloc(4000)
            gpu.fill(x)
            gpu.launch("saxpy", 4, 256, [1000, 2.0, x, x])
            start = gpu.time_ps
            self.assertFalse(gpu.run_until(start + 1000))
            self.assertTrue(gpu.run_until(start + 100_000_000))
            self.assertEqual(gpu.time_ps, start + 100_000_000)
            self.assertLess(gpu.kernels[0]["end_ps"], gpu.time_ps)
            gpu.forget_launches()
            self.assertEqual(gpu.kernels, [])

    def test_a_failure_is_told_once(self):
        with heddle.Gpu(settings=SMALL) as gpu:
            gpu.load_ptx(saxpy())
            wrong = ctypes.c_uint64(1 << 40)
            for wait in (gpu.synchronize, lambda: gpu.run_until(gpu.time_ps + 100_000_000)):
                gpu.launch("saxpy", 1, 32, [1, 2.0, wrong, wrong])
                with self.assertRaisesRegex(heddle.Error, "kernel saxpy"):
                    wait()
                self.assertTrue(gpu.run_until(gpu.time_ps + 1_000_000))
                gpu.synchronize()
            self.assertEqual(gpu.kernels, [])

    def test_timeout(self):
        with heddle.Gpu(settings=SMALL, timeout=20e-6) as gpu:
            gpu.load_ptx(ENDLESS)
            gpu.launch("endless", 1, 1)
            with self.assertRaisesRegex(heddle.Error, "longer than 20 us of target time") as e:
                gpu.synchronize()
            self.assertEqual(e.exception.name, "HEDDLE_ERR_TIMEOUT")


if __name__ == "__main__":
    unittest.main()
