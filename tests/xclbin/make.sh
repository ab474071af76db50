#!/usr/bin/env bash
# make.sh - checks xclbin/Makefile: the commands of each card, both TARGETs and both places of the
# rings; the errors without tools and with wrong values; and, with the stub of Vivado and a v++ that
# only looks at its files, the way from a clone to heddle.xclbin, and what is made again when.
. "$(dirname "$0")/common.sh"
need tclsh tcl
top=$PWD

# the tools that this machine lacks
mkdir "$out/bin"
cat >"$out/bin/vivado" <<END
#!/usr/bin/env bash
# the options that the Makefile gives, in their order
[ "\$1 \$2 \$3 \$4 \$6" = "-mode batch -nojournal -log -source" ] && [ "\$8" = -tclargs ] || exit 2
script=\$7
shift 8
exec tclsh "$top/tests/xclbin/run_package.tcl" "\$script" "\$@" >/dev/null
END
cat >"$out/bin/v++" <<'END'
#!/usr/bin/env bash
made='' config='' kernel=''
while [ $# -gt 0 ]; do
    case $1 in
        --link | --save-temps) ;;
        --config) config=$2; shift ;;
        -o) made=$2; shift ;;
        --*) shift ;;
        *) kernel=$1 ;;
    esac
    shift
done
[ -f "$kernel" ] && [ -f "$config" ] && touch "$made"
END
printf '#!/bin/sh\n[ "$1 $3" = "--platform --od" ] && touch "$4/emconfig.json"\n' \
    >"$out/bin/emconfigutil"
chmod +x "$out/bin/"*
with_tools() {
    env PATH="$out/bin:/usr/bin:/bin" XILINX_VITIS=/none XILINX_XRT=/none \
        make --no-print-directory -C xclbin OUT="$out/made" "$@"
}
# commands ARGUMENT...: those of vivado, v++ and emconfigutil that make would run, a line each
commands() {
    with_tools -n "$@" | sed -e ':a' -e '/\\$/N; s/\\\n//; ta' | tr -s ' \t' ' ' |
        grep -E 'vivado -mode|v\+\+ --link|emconfigutil' || true
}

for card in u55c u50 u250 u280; do
    platform=$(awk -v c=$card '$1 == c { print $2 }' xclbin/cards.txt)
    for target in hw hw_emu; do
        for host_memory in 0 1; do
            dir=$out/made/$card-$target gen=$out/made/generated
            cfg=$card
            [ $host_memory = 0 ] || cfg=host
            {
                echo "cd $dir && vivado -mode batch -nojournal -log package.log -source" \
                    "$top/xclbin/gen_xo.tcl -tclargs $dir/heddle_kernel.xo $dir/src/sources.f" \
                    "$gen/kernel.xml $gen/registers.tcl"
                echo "cd $dir && v++ --link --target $target --platform $platform" \
                    "--kernel_frequency 150 --config $top/xclbin/$cfg.cfg --vivado.synth.jobs 8" \
                    "--vivado.impl.jobs 8 --save-temps -o $dir/heddle.xclbin $dir/heddle_kernel.xo"
                [ $target = hw ] || echo "emconfigutil --platform $platform --od $dir"
            } >"$out/expected"
            commands $card TARGET=$target HOST_MEMORY=$host_memory >"$out/found"
            same "$card TARGET=$target HOST_MEMORY=$host_memory" "$out/expected" "$out/found"
        done
    done
done
# each pair of engines of several has a share of the requests
for pair in 1=16 2=15 4=14; do
    said=$(with_tools -n u55c GROUPS=${pair%=*})
    grep -qF "MAX_SMS=144 TIME_BITS=16 NODE_BITS=${pair#*=} ROW_BITS=15" <<<"$said" ||
        wrong "GROUPS=${pair%=*}: $(grep -oE 'set="[^"]*"' <<<"$said")"
done
# the cards in the help are those of the table
cards=$(awk '/^[a-z]/ { printf "%s%s", (NR > 1 && n++ ? ", " : ""), $1 }' xclbin/cards.txt)
[ "$(sed -nE 's/^#\| make ([a-z0-9]+) \(or (.*)\) .*/\1, \2/p' xclbin/Makefile)" = "$cards" ] ||
    wrong "make help names other cards than cards.txt: $cards"
# so are the defaults
while IFS='= ' read -r name value _; do
    grep -qE "^$name +:= $value\$" xclbin/Makefile || wrong "make help: another default of $name"
done < <(sed -nE 's/^#\| ([A-Z_]+=[^ ]+) .*/\1/p' xclbin/Makefile)
said=$(commands u280 PLATFORM=mine.xpfm FREQUENCY=200 SLR=SLR2 JOBS=3)
for part in "--platform mine.xpfm" "--kernel_frequency 200" "slr heddle_kernel_1:SLR2" \
    "synth.jobs 3 --vivado.impl.jobs 3"; do
    grep -qF -- "$part" <<<"$said" || wrong "v++ does not get $part"
done

# without tools, and with wrong values
without() { # NAME=VALUE... : a card, in this environment
    env -u XILINX_VITIS -u XILINX_XRT PATH=/usr/bin:/bin "$@" \
        make --no-print-directory -C xclbin OUT="$out/made" u55c
}
both=PATH=$out/bin:/usr/bin:/bin
fails "no v++" "v++ is not on PATH: source settings64.sh of Vitis, see docs/card.md" without
mkdir "$out/half"
cp "$out/bin/v++" "$out/half"
fails "no vivado" "vivado is not on PATH: source settings64.sh of Vivado, see docs/card.md" \
    without "PATH=$out/half:/usr/bin:/bin"
fails "no XILINX_VITIS" "XILINX_VITIS is not set: source settings64.sh of Vitis, see docs/card.md" \
    without "$both"
fails "no XILINX_XRT" "XILINX_XRT is not set: source setup.sh of XRT, see docs/card.md" \
    without "$both" XILINX_VITIS=/none
fails "TARGET" "TARGET=sw_emu: it must be one of: hw hw_emu" with_tools u55c TARGET=sw_emu
fails "GROUPS" "GROUPS=3: it must be one of: 1 2 4" with_tools u55c GROUPS=3
fails "HOST_MEMORY" "HOST_MEMORY=yes: it must be one of: 0 1" with_tools u55c HOST_MEMORY=yes
fails "SUB_BITS" "SUB_BITS=3: it must be one of: 1 2" with_tools u55c SUB_BITS=3
fails "FREQUENCY" "FREQUENCY=150MHz: it must be a number" with_tools u55c FREQUENCY=150MHz
fails "SLR" "SLR=SLR2: a u50 has SLR0 SLR1" with_tools u50 SLR=SLR2
fails "another card" "No rule to make target 'u30'" with_tools u30

# from a clone to an image; then what is made again
made() { with_tools "$@" 2>&1 | grep -oE '(vivado|v\+\+|awk) -' | tr -d '\n -' || true; }
image=$out/made/u50-hw/heddle.xclbin
expect() { # WHAT EXPECTED ARGUMENT...
    local what=$1 expected=$2 found
    shift 2
    found=$(made u50 "$@")
    [ "$found" = "$expected" ] || wrong "$what: made by '$found' instead of '$expected'"
    [ -f "$image" ] || wrong "$what: no $image"
}
expect "the first time" awkvivadov++
expect "nothing has changed" ""
expect "another clock" v++ FREQUENCY=100
expect "other parameters" awkvivadov++ FREQUENCY=100 GROUPS=2
grep -q 'GROUPS *= 2,' "$out/made/u50-hw/src/heddle_kernel.v" || wrong "GROUPS is not 2"
touch "$out/made/generated/registers.tcl"
expect "other registers" vivadov++ FREQUENCY=100 GROUPS=2
with_tools u50 TARGET=hw_emu >/dev/null 2>&1 && [ -f "$out/made/u50-hw_emu/emconfig.json" ] ||
    wrong "no emconfig.json"
touch "$out/made/mine"
with_tools clean >/dev/null
[ "$(ls "$out/made")" = mine ] || wrong "make clean leaves $(ls "$out/made")"
grep -qF "make u55c (or " <<<"$(with_tools)" || wrong "make without a target is no help"
finish "Mend xclbin/Makefile, or the expected commands here."
