#!/usr/bin/env bash
# doctor.sh HEDDLE XRT_DIRECTORY OPENCL_DIRECTORY - what `heddle doctor` says of cards and OpenCL
# platforms. The directories hold the emulation as libxrt_coreutil.so.2, and the library of
# tests/support/fake_opencl.c as libOpenCL.so.1.
set -u
heddle=$1 xrt=$2 opencl=$3
wrong=0

# says LINE NAME=VALUE...: with these variables the output has a line that is this one.
says() {
    local line=$1 out
    shift
    out=$(env "$@" "$heddle" doctor)
    grep -qxF "$line" <<<"$out" && return
    wrong=$((wrong + 1))
    printf 'no line: %s\n%s\n' "$line" "$out" >&2
}

export HEDDLE_EMULATION=devices=2
says "ok       FPGA cards (XRT)             2; \`heddle card check\` says what works" \
    LD_LIBRARY_PATH="$xrt"
says "ok       OpenCL: A platform           OpenCL 1.2, a CPU (CPU), an FPGA (accelerator)" \
    LD_LIBRARY_PATH="$opencl" FAKE_OPENCL=fpga
says "absent   OpenCL platforms             cannot be asked: it ended the process that asked it \
(Aborted)" LD_LIBRARY_PATH="$opencl" FAKE_OPENCL=abort
says "absent   OpenCL platforms             cannot be asked: it did not answer within 10 seconds" \
    LD_LIBRARY_PATH="$opencl" FAKE_OPENCL=hang

json=$(LD_LIBRARY_PATH="$xrt:$opencl" FAKE_OPENCL=fpga "$heddle" doctor --json)
if command -v jq >/dev/null; then
    jq -e '.cards == .xrt.cards and (.cards | length) == 2 and .cards[1].index == 1
           and .opencl.platforms[0].devices[1].type == "accelerator"
           and (.ok | type) == "boolean"' \
        >/dev/null <<<"$json" || {
        wrong=$((wrong + 1))
        printf '%s\n' "$json" >&2
    }
fi
[ $wrong = 0 ]
