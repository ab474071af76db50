#!/usr/bin/env bash
# includes.sh - checks that dependencies point one way (ARCHITECTURE.md): which folder may include
# which.
. "$(dirname "$0")/common.sh"

# The only headers of the executor's memory, the timing core, the scheduler and the CUDA layer that
# folders above may include.
exec_data='exec/memory/device_memory.h exec/memory/managed_blocks.h exec/texture/texture.h'
sched_front='sched/gpu.h sched/gpu_view.h sched/checkpoint.h sched/system.h'
cli_rest='node network report timeline annotate runs monitor sweep models project compnet'
cli_rest+=' include/heddle_policy.h'
timing_front='timing/core.h timing/first_light.h timing/xrt.h' # a card without a GPU around it
cuda_front='cuda/server/server.h cuda/base/address_space.h'
library_base='include/heddle.h cuda/base/address_space.h cuda/base/fatbin.h'
library_base+=' cuda/base/memory_near.h cuda/base/module_variables.h'
cuda_front+=' cuda/base/fatbin.h cuda/base/findings.h cuda/protocol/wire.h'

for_model='sw_emu timing/core_check.h timing/core_policy.h timing/core_watch.h'
for_model+=' include/heddle_policy.h'

# FOLDER: what its files may include besides their own folder. Any folder may include tables/, which
# is data; folders marked "+" may include generated headers (no folder in the name).
rules='
host/common:
host/mir:       common
host/ptx:       common mir
host/ptx/parse: common
host/ptx/check: common ptx/parse
host/ptx/ir:    common mir
host/ptx/lower: common mir ptx/parse ptx/ir
host/exec:         common mir
host/exec/warp:    common mir exec/exec.h
host/exec/check:   common mir exec/exec.h exec/warp
host/exec/memory:  common mir exec/exec.h exec/warp exec/check
host/exec/texture: common mir exec/exec.h exec/warp exec/memory
host/exec/ops:     common mir exec/exec.h exec/warp exec/check exec/memory exec/texture
host/fabric:    common
host/network:   common
host/feed:      + common mir exec
host/shmem:     common exec/memory/device_memory.h include/device/heddle_shmem_abi.h
host/timing:    + common mir exec feed fabric include/device/heddle_shmem_abi.h
host/node:      + common shmem network fabric timing/message.h timing/l2_customer.h sched/gpu.h'"\
 sched/gpu_customers.h sched/system.h include/device/heddle_shmem_abi.h"'
host/sched:     + common mir exec feed fabric timing models
host/cuda/protocol: +
host/cuda/base: common mir '"$exec_data"' sched/gpu.h cuda/protocol
host/cuda/object: + common mir '"$exec_data"' shmem sched/gpu.h cuda/protocol cuda/base
host/cuda/calls:  + common mir cuda/protocol cuda/base cuda/object
host/cuda/server: + common cuda/protocol cuda/base cuda/object cuda/calls
host/cuda/shim:   + cuda/protocol
host/cuda/driver: + cuda/protocol cuda/shim
host/cuda/bind:   + common/elf_file.h
host/mpi:         + cuda/protocol cuda/shim/shim.h
host/opencl:
host/report:    + common sched/gpu.h
host/timeline:  + common sched/gpu.h
host/annotate:  common
host/runs:      common annotate/source_view.h
host/monitor:   + common sched/gpu.h sched/gpu_view.h runs/page.h
host/sweep:     common
host/compnet:   common
host/project:   common ptx/parse
host/library: common mir ptx/ptx_target.h report '"$library_base $timing_front"' sched/gpu.h
host/cli: + common mir ptx '"$timing_front $sched_front $cuda_front $cli_rest"'
models:         common
sw_emu:         + timing/xrt_abi.h timing/core_watch.h timing/core_policy.h
tools/gen:        device_math.def network/network_config.h node/node_config.h project/metrics_page.h
tools/expansions: common project
tools/heddle-cc:
reference:      + '"$for_model"'
tests/rtl/reference: + reference
'
include='s/^\([^:]*\):\([0-9]*\): *# *include *"\([^"]*\)".*/\1 \2 \3/p'
covered=()
while IFS=: read -r folder allowed; do
    [ -n "$folder" ] && covered+=("$folder")
done <<<"$rules"

# ruled_by FILE: prints the folder whose rule applies to FILE, the innermost one that has a rule.
ruled_by() {
    local d=${1%/*}
    while :; do
        case " ${covered[*]} " in *" $d "*) echo "$d" && return ;; esac
        [ "${d%/*}" != "$d" ] || return 0
        d=${d%/*}
    done
}

while IFS=: read -r folder allowed; do
    [ -n "$folder" ] || continue
    own=${folder#host/}
    while read -r file line name; do
        [ "$(ruled_by "$file")" = "$folder" ] || continue # has a rule of its own
        case "$name" in
            tables/* | host/tables/*) continue ;;
            "$own"/* | "$folder"/*) continue ;;
        esac
        if [ "${name#*/}" = "$name" ]; then
            [ -e "$(dirname "$file")/$name" ] && continue
            case " $allowed " in *' + '*) continue ;; esac
        fi
        good=
        for a in $allowed; do
            case "$name" in "$a" | "$a"/*) good=1 ;; esac
        done
        [ -n "$good" ] || wrong "$file:$line: $folder may not include \"$name\""
    done < <(tracked "$folder/*.c" "$folder/*.h" "$folder/*.cpp" "$folder/*.def" |
        xargs -r grep -nH '^ *# *include *"' | sed -n "$include")
done <<<"$rules"

while read -r f; do
    case "$f" in host/tables/*) continue ;; esac
    known=
    for c in "${covered[@]}"; do case "$f" in "$c"/*) known=1 ;; esac done
    [ -n "$known" ] || wrong "$f: its folder has no rule in tests/lint/includes.sh"
done < <(tracked 'host/*.[ch]' 'models/*.[ch]' 'tools/*.[ch]' 'sw_emu/*.h' 'sw_emu/*.cpp' \
    'reference/*.h' 'reference/*.cpp')

# The program under test loads the shim, so the shim may depend only on the C library.
while read -r line; do wrong "$line: the shim may include headers of the C library only"; done < <(
    tracked 'host/cuda/shim/*.[ch]' |
        xargs -r grep -nE '^ *# *include *<(glib|jansson|zstd|lz4|xrt|CL)' || true)

# File names are unique, so that a name alone identifies a file.
while read -r name; do
    wrong "two files are called $name: $(tracked "*/$name" | tr '\n' ' ')"
done < <(
    tracked 'host/*.[ch]' 'models/*.[ch]' | sed 's|.*/||' | sort | uniq -d)
finish "Dependencies: common <- mir <- {ptx, exec} <- feed <- timing <- sched <- cuda <- cli."
