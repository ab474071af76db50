"""Runs of programs by the Python package. HEDDLE_TEST_PROGRAM is vector_add of apps."""

import os
import tempfile
import unittest

import heddle

PROGRAM = os.environ["HEDDLE_TEST_PROGRAM"]
SMALL = {"sm.count": 8}


class Runs(unittest.TestCase):
    def test_a_run(self):
        run = heddle.run([PROGRAM, "-n", "5000"], gpu="v100", settings=SMALL, trace_api=True)
        self.assertEqual(run.status, 0)
        self.assertIn("PASS 5000 elements", run.stdout)
        self.assertEqual(len(run.kernels), 1)
        self.assertGreater(run.kernels[0]["cycles"], 1000)
        self.assertEqual(run.kernels[0]["name"], "vector_add")
        self.assertIn("cudaLaunchKernel", [call["name"] for call in run.calls])
        self.assertGreater(run.statistics["link_to_device_bytes"], 0)
        self.assertEqual(run.report["run"]["gpu"], "Tesla V100 (simulated)")
        self.assertTrue((run.directory / "api.txt").exists())
        directory = run.directory
        del run
        self.assertFalse(directory.exists(), "temporary")

    def test_a_directory_of_its_own(self):
        with tempfile.TemporaryDirectory() as folder:
            run = heddle.run([PROGRAM, "-n", "100"], out=os.path.join(folder, "out"),
                             timing="none")
            self.assertEqual(run.directory, heddle._run.Path(folder, "out").resolve())
            self.assertFalse(run.kernels[0]["timed"])
            again = heddle.run([PROGRAM, "-n", "100"], out="other", cwd=folder, timing="none")
            self.assertEqual(again.directory, heddle._run.Path(folder, "other").resolve())

    def test_errors(self):
        with self.assertRaisesRegex(heddle.RunError, "cannot run ./nothing") as e:
            heddle.run(["./nothing"])
        self.assertEqual(e.exception.status, 125)
        with self.assertRaisesRegex(heddle.RunError, "v101"):
            heddle.run([PROGRAM], gpu="v101")
        with self.assertRaisesRegex(heddle.RunError, "--no-such-option"):
            heddle.run([PROGRAM], no_such_option=True)
        with self.assertRaisesRegex(heddle.RunError, "the program has ended with status") as e:
            heddle.run([PROGRAM, "--nonsense"], timing="none")
        self.assertNotEqual(e.exception.status, 0)
        run = heddle.run([PROGRAM, "--nonsense"], timing="none", check=False)
        self.assertEqual(run.status, e.exception.status)


if __name__ == "__main__":
    unittest.main()
