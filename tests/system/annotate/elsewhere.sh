#!/usr/bin/env bash
# elsewhere.sh HEDDLE HEDDLE_CC LIBRARIES - annotates a run when its source files have gone,
# were left out, or have changed; a run on several GPUs; and one whose timing core tells nothing.
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
    cudaMalloc(&in, N * N * sizeof *in);
    cudaMalloc(&out, N * N * sizeof *out);
    columns<<<dim3(N / 32, N), 32>>>(in, out, N);
    return cudaDeviceSynchronize();
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
shows there/bare "columns.cu: the run has no sources (--no-sources), and it cannot be read now"
shows there/bare "ptx: st.global"

# changed since: in the run without sources, and before a run
mv gone src && touch -d '+1 hour' src/columns.cu
shows there/bare "columns.cu: it is newer than the program: its lines may be others"
run --out changed
shows changed "columns.cu: it is newer than the program: its lines may be others"

# one SM group or several: the same counts
run --out groups --sm-groups 4
cmp there/whole/instructions.csv groups/instructions.csv

# a timing core that tells of no issues: a note, and shares of executions
if [ -e "$libraries/libheddle_swemu_nba.so" ]; then
    "$heddle" run --out silent --backend "$libraries/libheddle_swemu_nba.so" -- ./program \
        >said 2>&1 || stop "the program fails"
    grep -q "Note: instructions.csv has no cycles: this timing core does not tell" said ||
        stop "there is no note"
    jq -e '.instructions_file.issues == false' silent/report.json >/dev/null
    shows silent "The timing core told of no issues: shares are of executions"
    # what does not follow from time is the same
    cut -d, -f1-17 there/whole/instructions.csv | cmp - <(cut -d, -f1-17 silent/instructions.csv)
fi
