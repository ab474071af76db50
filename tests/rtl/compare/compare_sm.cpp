/* compare_sm.cpp - sm_engine.sv against the reference model. */
#include "tests/rtl/compare/compare_rtl.h"
#include "tests/rtl/compare/sm_engine_core.h"
#include HEDDLE_MODEL_HEADER

int main(int argc, char **argv) {
    return reference::compare_rtl(argc, argv, [](std::uint64_t delay_seed, unsigned) {
        return std::make_unique<reference::SmEngineCore<HEDDLE_MODEL>>(delay_seed);
    });
}
