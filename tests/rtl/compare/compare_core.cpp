/* compare_core.cpp - the whole core behind host/timing/core.h against the reference model.
 * HEDDLE_CORE_INSTANCES is the number of core instances (default 1), HEDDLE_CORE_LIBRARY the library
 * that offers XRT's functions (default: the emulation of this build). */
#include <cstdlib>

#include "tests/rtl/compare/compare_rtl.h"
#include "tests/rtl/compare/whole_core.h"

int main(int argc, char **argv) {
    const char *library = std::getenv("HEDDLE_CORE_LIBRARY");
    const char *instances = std::getenv("HEDDLE_CORE_INSTANCES");
    const unsigned n = instances ? (unsigned)std::atoi(instances) : 1;
    if (!library) library = EMULATION;
    return reference::compare_rtl(argc, argv, [library, n](std::uint64_t) {
        return std::make_unique<reference::WholeCore>(library, n);
    });
}
