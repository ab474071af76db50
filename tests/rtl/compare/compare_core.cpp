/* compare_core.cpp - the whole core behind host/timing/core.h against the reference model. */
#include <cstdlib>

#include "tests/rtl/compare/compare_rtl.h"
#include "tests/rtl/compare/whole_core.h"

int main(int argc, char **argv) {
    const char *library = std::getenv("HEDDLE_CORE_LIBRARY");
    if (!library) library = EMULATION;
    return reference::compare_rtl(argc, argv, [library](std::uint64_t) {
        return std::make_unique<reference::WholeCore>(library);
    });
}
