#!/usr/bin/env bash
# cfg.sh - checks the connectivity of each card in xclbin/cards.txt: CARD.cfg and host.cfg link one
# compute unit of the kernel, each of its AXI masters to one memory, in a bank that the card has;
# and docs/card.md names each card's platform.
. "$(dirname "$0")/common.sh"
top=rtl/top/heddle_kernel.v
read -r kernel _ < <(rows core_ports.def KERNEL)
masters=$(sed -nE 's/^ *output +wire.* (m_axi_[a-z0-9]+)_[a-z]+,?$/\1/p' $top | sort -u)
[ -n "$masters" ] || wrong "no AXI master is recognised in $top"

# check FILE MEMORY=BANKS...
check() {
    local file=$1 line section='' unit='' linked='' port memory first last banks
    shift
    [ -f "$file" ] || { wrong "no file $file"; return; }
    while read -r line; do
        case $line in
            '' | '#'*) ;;
            '['*']') section=$line ;;
            nk=*)
                [ "$line" = "nk=$kernel:1:${kernel}_1" ] || wrong "$file: $line is not one $kernel"
                unit=${line##*:}
                ;;
            sp=*)
                if ! [[ $line =~ ^sp=([a-z0-9_]+)\.([a-z0-9_]+):([A-Z]+)\[([0-9]+)(:([0-9]+))?\]$ ]]
                then
                    wrong "$file: not of the form sp=UNIT.PORT:MEMORY[BANK]: $line"
                    continue
                fi
                port=${BASH_REMATCH[2]} memory=${BASH_REMATCH[3]} first=${BASH_REMATCH[4]}
                last=${BASH_REMATCH[6]:-$first}
                [ "${BASH_REMATCH[1]}" = "$unit" ] || wrong "$file: $line: no nk makes this unit"
                grep -qx "$port" <<<"$masters" || wrong "$file: $line: $top has no master $port"
                linked+="$port "
                banks=0
                for m; do [ "${m%=*}" != "$memory" ] || banks=${m#*=}; done
                [ "$first" -le "$last" ] && [ "$last" -lt "$banks" ] ||
                    wrong "$file: $line: the card has $banks banks of $memory"
                ;;
            *) wrong "$file: unknown line: $line" ;;
        esac
        case $line in
            nk=* | sp=*) [ "$section" = '[connectivity]' ] || wrong "$file: $line in '$section'" ;;
        esac
    done <"$file"
    for port in $masters; do
        [ "$(tr ' ' '\n' <<<"$linked" | grep -cx "$port")" = 1 ] ||
            wrong "$file: not one sp line for $port"
    done
}
cards=0
while read -r card platform memory banks slrs uram sms node_bits; do
    cards=$((cards + 1))
    [[ $platform =~ ^xilinx_${card}_[a-z0-9_]+$ ]] ||
        wrong "cards.txt: platform of $card: $platform"
    for number in "$banks" "$slrs" "$uram" "$sms" "$node_bits"; do
        [[ $number =~ ^[1-9][0-9]*$ ]] || wrong "cards.txt: $card: no number: $number"
    done
    check "xclbin/$card.cfg" "$memory=$banks"
    grep -qF "$platform" docs/card.md || wrong "docs/card.md does not name $platform"
done < <(grep -v '^#' xclbin/cards.txt)
[ $cards -ge 4 ] || wrong "cards.txt has $cards cards"
check xclbin/host.cfg HOST=1

# the check notices what it should
before=$findings
while read -r change; do
    sed "$change" xclbin/u55c.cfg >"$out/u55c.cfg"
    [ -n "$(check "$out/u55c.cfg" HBM=32)" ] || wrong "not noticed in u55c.cfg: $change"
done <<'END'
s/HBM\[0\]/HBM[0:32]/
s/HBM\[0\]/DDR[0]/
s/m_axi_gmem/m_axi_rings/
/^sp=/d
s/heddle_kernel_1\./heddle_kernel_2./
s/^nk=.*/nk=heddle_kernel:2/
s/^\[connectivity\]/[connect]/
$s/.*/&\n&/
END
[ -z "$(check xclbin/u55c.cfg HBM=32)" ] || [ "$before" != 0 ] || wrong "u55c.cfg itself is refused"
finish "Mend the file, cards.txt or docs/card.md."
