/* compare_core.cpp - the whole core behind host/timing/core.h against the reference model.
 * HEDDLE_CORE_LIBRARY names a library that offers XRT's functions; default: the emulation of this
 * build. */
#include <cstdlib>

#include "tests/rtl/compare/compare_rtl.h"
#include "tests/rtl/compare/whole_core.h"

int main(int argc, char **argv) {
    const char *library = std::getenv("HEDDLE_CORE_LIBRARY");
    if (!library) library = EMULATION;
    return reference::compare_rtl(argc, argv, [library](std::uint64_t, unsigned instances) {
        return std::make_unique<reference::WholeCore>(library, instances);
    });
}
