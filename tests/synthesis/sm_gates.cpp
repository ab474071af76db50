/* sm_gates.cpp - the comparison with the reference model, for the netlist of the SM engine. */
#define HEDDLE_MODEL Vsm_engine
#define HEDDLE_MODEL_HEADER "Vsm_engine.h"
#include "tests/rtl/compare/compare_sm.cpp"
