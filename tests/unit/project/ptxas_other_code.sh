#!/bin/sh
# ptxas_other_code.sh - an assembler that leaves the division out for compute capability 8.0: the
# codes of two capabilities then have other special functions. REAL_PTXAS names ptxas.
#   ptxas_other_code.sh -arch=sm_NN IN.ptx ...
if [ "$1" = -arch=sm_80 ]; then
    sed -i 's/div\.rn\.f32 d, a, b/mov.f32 d, a/' "$2"
fi
exec "$REAL_PTXAS" "$@"
