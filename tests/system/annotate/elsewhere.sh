#!/usr/bin/env bash
# elsewhere.sh HEDDLE HEDDLE_CC LIBRARIES - annotates a run when its source files have gone, were
# left out, or have changed; a program without line numbers, on several GPUs; on a terminal; and a
# run whose timing core tells nothing.
set -euo pipefail
heddle=$(realpath "$1") compiler=$(realpath "$2") libraries=$3
. "$(dirname "$0")/../../support/need.sh"
need jq jq
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
mkdir src
cat >src/columns.cu <<'END'
#include <cuda_runtime.h>
#include <stdio.h>

__global__ void columns(const float *in, float *out, int n) {
    int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y;
    out[x * n + y] = in[y * n + x]; // the culprit
}

int main(void) {
    enum { N = 256 };
    float *in, *out;
    int devices;
    cudaGetDeviceCount(&devices);
    for (int d = 0; d < devices; d++) {
        cudaSetDevice(d);
        cudaMalloc(&in, N * N * sizeof *in);
        cudaMalloc(&out, N * N * sizeof *out);
        columns<<<dim3(N / 32, N / (d + 1)), 32>>>(in, out, N);
        if (cudaDeviceSynchronize()) return 1;
    }
    return 0;
}
END
"$compiler" -lineinfo src/columns.cu -o program

stop() { echo "$*"; cat said; exit 1; }
# run OPTIONS: runs the program
run() { "$heddle" run -q "$@" -- ./program >said 2>&1 || stop "the program fails"; }
# shows RUN TEXT: the annotated kernel has the text
shows() {
    "$heddle" annotate "$1" >said
    grep -qF -- "$2" said || stop "not shown: $2"
}
culprit='out[x * n + y] = in[y * n + x]; // the culprit'

run --out whole
run --out bare --no-sources
zstdcat whole/code.txt.zst | grep -qF "$culprit" || stop "the run does not have its source"
zstdcat bare/code.txt.zst | grep -qF "$culprit" && stop "--no-sources has no effect"
shows whole "$culprit"
shows bare "$culprit" # from its path
cmp whole/instructions.csv bare/instructions.csv

# moved to another directory, without the sources
mkdir there && mv whole bare there/ && mv src gone
shows there/whole "$culprit"
shows there/bare \
    "columns.cu: the run has no sources (--no-sources), and it cannot be read now"
shows there/bare "ptx: st.global"

# changed since: in the run without sources, and before a run
mv gone src && touch -d '+1 hour' src/columns.cu
shows there/bare "columns.cu: it is newer than the program: its lines may be others"
run --out changed
shows changed "columns.cu: it is newer than the program: its lines may be others"

# one SM group or several: the same counts
run --out groups --sm-groups 4
cmp there/whole/instructions.csv groups/instructions.csv

# on a terminal: its width, and colours unless NO_COLOR is set
terminal() {
    script -qec "stty cols $1; '$heddle' annotate there/whole" /dev/null </dev/null |
        tr -d '\r' >said
}
red=$'\033[1;31m'
terminal 130
grep -F "$red" said | grep -qF "$culprit" || stop "the hottest line has no colour and its text"
NO_COLOR=1 terminal 130
if grep -qF $'\033' said; then stop "NO_COLOR has no effect"; fi
grep -qF " 6 $culprit" said || stop "a wide terminal has the text in another line"

# without line numbers: the PTX; on two GPUs: a kernel on each, which one name means
"$compiler" src/columns.cu -o program
run --out two --devices 2
shows two "columns on GPU 0: 1 launch, grid 8 x 256 x 1"
shows two "The program was compiled without -lineinfo: lines of its PTX"
shows two "st.global.f32"
shows two "1 other kernel: heddle annotate two KERNEL, by number, name or part of it"
"$heddle" annotate two columns >said
[ "$(grep -c '^columns on GPU [01]: ' said)" = 2 ] || stop "a name does not mean both kernels"

# a timing core that tells of no issues: a note, and shares of executions
if [ -e "$libraries/libheddle_swemu_nba.so" ]; then
    "$heddle" run --out silent --backend "$libraries/libheddle_swemu_nba.so" -- ./program \
        >said 2>&1 || stop "the program fails"
    grep -q "Note: instructions.csv has no cycles: this timing core does not tell" said ||
        stop "there is no note"
    jq -e '.instructions_file.issues == false' silent/report.json >/dev/null
    shows silent "The timing core told of no issues: shares are of executions"
    # what does not follow from time is the same
    run --out told
    cut -d, -f1-17 told/instructions.csv | cmp - <(cut -d, -f1-17 silent/instructions.csv)
fi
