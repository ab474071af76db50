"""What the tests of the Python package share: PTX, and numpy where it is."""

import os
import unittest

try:
    import numpy
except ImportError:
    numpy = None

SAXPY = os.path.join(os.path.dirname(os.path.abspath(__file__)), "../library/saxpy.ptx")
ENDLESS = """.version 6.4
.target sm_70
.address_size 64
.visible .entry endless() {
again:
    bra again;
}
"""
with_numpy = unittest.skipIf(numpy is None, "numpy is not there")


def saxpy() -> str:
    with open(SAXPY) as file:
        return file.read()
