# module_pages.awk - reads the sources of the timing core and writes a page for each module.
#
#   awk -v out=DIR -f module_pages.awk SOURCE...    DIR/MODULE.md and DIR/README.md
#   awk -v heads=1 -f module_pages.awk SOURCE...    prints what heads of modules lack
#
# A source is a .sv, .svh or .v of rtl/, or rtl/module_tests.txt. Modules come in the order of the
# sources. module_pages.sh calls this.
#
# A head is the text behind `///` before `module`. A word with a colon begins a part: Latency,
# Throughput, Rules, Steps, Parameter. All before the first one says what the module is for. Behind
# a port or parameter, `///` is its meaning; a line of its own goes on if it is indented like that,
# else it says the meaning of the next port. `//` heads the ports that follow.

function trim(s) {
    gsub(/^[ \t]+|[ \t]+$/, "", s)
    return s
}
function base(path) {
    sub(/.*\//, "", path)
    return path
}
# text wrapped to 100 columns
function wrapped(text, n, w, i, line, all) {
    n = split(text, w, " ")
    line = w[1]
    for (i = 2; i <= n; i++)
        if (length(line) + 1 + length(w[i]) > 100) {
            all = all line "\n"
            line = w[i]
        } else line = line " " w[i]
    return all line
}
function cell(text) {
    gsub(/\|/, "\\|", text)
    return text
}
# an expression as code; it may have a backquote
function code(text) {
    text = cell(text)
    return index(text, "`") ? "`` " text " ``" : "`" text "`"
}
# a capital at the beginning, but not of a port's name
function capital(text) {
    if (text ~ /^[a-z0-9]*_/) return text
    return toupper(substr(text, 1, 1)) substr(text, 2)
}
function head_row(columns, n, name, i, rule) {
    n = split(columns, name, " ")
    for (i = 1; i <= n; i++) rule = rule "|---"
    gsub(/ /, " | ", columns)
    gsub(/_/, " ", columns)
    return "| " columns " |\n" rule "|"
}
# [31:0] -> 32, [IdW-1:0] -> IdW, [Bits:0] -> Bits+1
function width(range, high, number) {
    if (range == "") return "1"
    high = substr(range, 2, index(range, ":0]") - 2)
    sub(/heddle_pkg::/, "", high)
    if (high ~ /^[0-9]+$/) return high + 1
    if (high ~ /-1$/) return "`" substr(high, 1, length(high) - 2) "`"
    if (match(high, /\+[0-9]+$/)) {
        number = substr(high, RSTART + 1)
        return "`" substr(high, 1, RSTART) (number + 1) "`"
    }
    return "`" high "+1`"
}
function wrong(text) {
    print text
    findings = 1
}

FNR == 1 {
    file = FILENAME
    state = file ~ /\.(sv|v)$/ ? "head" : "body"
    num_paragraphs = 0
    table = file ~ /\.txt$/
}
table {
    if ($0 ~ /^#/ || $0 == "") next
    split($0, column, / *\| */)
    line = "| `" column[2] "` | [" base(column[3]) "](../../" column[3] ") | " column[4] " |\n"
    tests[column[1]] = tests[column[1]] line
    next
}
# what is included, and what may be instances
/^ *`include "/ {
    split($0, part, "\"")
    includes[base(file)] = includes[base(file)] " " base(part[2])
}
state == "body" && /^ *[a-z][a-z0-9_]* +(#\(|[a-z][a-z0-9_]* \()/ {
    candidates[base(file)] = candidates[base(file)] " " $1
}
# the parameters of the SM engine, and the widths that follow from them
/^ *(parameter|localparam) .*\\$/ && file ~ /sm_parameters\.svh$/ {
    line = $0
    gsub(/,? *\\$/, "", line)
    split(line, part, / *= */)
    name = part[1]
    sub(/.* /, "", name)
    sub(/^[^=]*= */, "", line)
    if ($1 == "parameter") engine_parameters = engine_parameters name " " line "\n"
    else widths = widths "| `" name "` | `" line "` |\n"
}
state == "head" && /^\/\/\/( |$)/ {
    text = trim(substr($0, 4))
    if (text == "") fresh = 1
    else if (fresh || num_paragraphs == 0 || previous !~ /^\/\/\//) {
        paragraph[++num_paragraphs] = text
        fresh = 0
    } else paragraph[num_paragraphs] = paragraph[num_paragraphs] " " text
}
{ previous = $0 }
state == "head" && /^(module|package) / {
    module = $2
    sub(/[;(#].*/, "", module)
    order[++num_modules] = module
    source[module] = file
    take_head()
    state = "ports"
    cond = next_meaning = ""
    if (index($0, "`SM_PARAMETERS")) of_engine[module] = 1
    if ($1 == "package" || $0 ~ /;$/) state = "body"
    next
}
state == "ports" && /^\);/ {
    state = "body"
    next
}
state == "ports" { port_line($0) }

# The head's paragraphs become what the module is for, and its parts.
function take_head(i, text, key, rest, first) {
    for (i = 1; i <= num_paragraphs; i++) {
        text = paragraph[i]
        key = ""
        while (match(text, /(^|[.;] )(Latency|Throughput|Rules|Steps|Parameter [A-Za-z]+): /)) {
            first = substr(text, RSTART, RLENGTH)
            rest = substr(text, 1, RSTART - 1)
            if (first ~ /^[.;] /) rest = rest substr(first, 1, 1)
            take_part(key, rest)
            text = substr(text, RSTART + RLENGTH)
            gsub(/^[.;] |: $/, "", first)
            key = first
        }
        take_part(key, text)
    }
}
function take_part(key, text) {
    text = trim(text)
    if (text == "") return
    if (key == "") purpose[module] = purpose[module] (purpose[module] == "" ? "" : "\n") text
    else if (key ~ /^Parameter /) meaning[module, substr(key, 11)] = text
    else parts[module, key] = text
}

# A line between the parentheses of a module's head.
function port_line(line, text, comment, at, names, range, dir) {
    if (line ~ /^ *\/\*/ || line ~ /^\) \(/) return
    if (trim(line) == "") { # what follows is another group
        group_of[module, num_ports[module] + 1] = ""
        return
    }
    if (line ~ /^`/) {
        if (line ~ /^`ifdef/) cond = "with `" substr(line, 8) "`"
        else if (line ~ /^`else/) sub(/^with/, "without", cond)
        else if (line ~ /^`endif/) cond = ""
        return
    }
    at = index(line, "//")
    text = at ? substr(line, 1, at - 1) : line
    comment = at ? substr(line, at) : ""
    sub(/\/\*.*/, "", text)
    if (trim(text) == "") {
        if (comment !~ /^\/\/\//) { # a heading; a second line goes on
            comment = trim(substr(comment, 3))
            if (row_kind == "group") heading[module] = heading[module] " " comment
            else heading[module] = comment
            row_kind = "group"
            group_of[module, num_ports[module] + 1] = heading[module]
        } else {
            comment = trim(substr(comment, 4))
            if (at > 10) row_text[module, last] = row_text[module, last] " " comment
            else next_meaning = trim(next_meaning " " comment)
        }
        return
    }
    sub(/^\/\/\/? ?/, "", comment)
    comment = trim(comment)
    text = trim(text)
    sub(/,$/, "", text)
    row_kind = "port"
    if (text ~ /^parameter /) {
        sub(/^parameter +/, "", text)
        at = index(text, "=")
        names = trim(substr(text, 1, at - 1))
        sub(/.* /, "", names)
        if (comment == "" && (module, names) in meaning) comment = meaning[module, names]
        if (cond != "") comment = trim(comment " (" cond ")")
        parameters[module] = parameters[module] "| `" names "` | " \
            code(trim(substr(text, at + 1))) " | " cell(comment) " |\n"
        return
    }
    if (text !~ /^(input|output) /) { # more names of the port before
        row_names[module, last] = row_names[module, last] ", " text
        if (comment != "") row_text[module, last] = trim(row_text[module, last] " " comment)
        return
    }
    dir = text ~ /^input/ ? "in" : "out"
    sub(/^(input|output) +(logic|wire)? */, "", text)
    range = ""
    if (match(text, /^\[[^]]*\]/)) {
        range = substr(text, 1, RLENGTH)
        text = trim(substr(text, RLENGTH + 1))
    }
    last = ++num_ports[module]
    row_names[module, last] = text
    row_dir[module, last] = dir
    row_width[module, last] = width(range)
    if (comment == "" && text ~ /^(ap_)?clk(_i)?$/) comment = "clock"
    if (comment == "" && text ~ /^(rst_ni|ap_rst_n)$/) comment = "synchronous reset, active low"
    if (next_meaning != "" && comment != "") next_meaning = next_meaning "; "
    row_text[module, last] = trim(next_meaning comment)
    next_meaning = ""
}

# modules in `file` and what it includes
function collect(file, n, i, list, m) {
    if (seen[file]++) return
    n = split(candidates[file], list, " ")
    for (i = 1; i <= n; i++) {
        m = list[i]
        if (m in source && base(source[m]) != file) inside[m]++
    }
    n = split(includes[file], list, " ")
    for (i = 1; i <= n; i++) collect(list[i])
}
function link(m) {
    return "[" m "](" m ".md)"
}
function first_sentence(m, text, at) {
    text = purpose[m]
    at = index(text, "\n")
    if (at) text = substr(text, 1, at - 1)
    # a full stop, but not that of a file's name
    if (match(text, /\. [A-Z]/)) text = substr(text, 1, RSTART)
    return text
}

END {
    for (i = 1; i <= num_modules; i++) {
        m = order[i]
        if (m == "heddle_pkg") continue
        for (k in seen) delete seen[k]
        for (k in inside) delete inside[k]
        collect(base(source[m]))
        for (j = 1; j <= num_modules; j++)
            if (order[j] in inside) {
                k = order[j]
                contains[m] = contains[m] (contains[m] == "" ? "" : ", ") link(k) \
                    (inside[k] > 1 ? " (" inside[k] ")" : "")
                users[k] = users[k] (users[k] == "" ? "" : ", ") link(m)
            }
    }
    if (heads) {
        for (i = 1; i <= num_modules; i++) check_head(order[i])
        exit findings
    }
    for (i = 1; i <= num_modules; i++) print_page(order[i])
    print_index()
}

function check_head(m, where, i, n, need) {
    where = source[m] ": module " m
    if (purpose[m] == "")
        wrong(where " has no head: lines `///` before `module` say what it is for")
    if (m == "heddle_pkg") return
    n = split("Latency Throughput Rules", need, " ")
    for (i = 1; i <= n; i++)
        if (!((m, need[i]) in parts)) wrong(where ": the head has no part `" need[i] ":`")
    if (tests[m] == "") wrong(where ": rtl/module_tests.txt names no test of it")
}

function print_page(m, file, n, text, j, need, open) {
    file = out "/" m ".md"
    print "# " m "\n" >file
    print "Made from [" source[m] "](../../" source[m] ") by `tools/gen/module_pages.sh`;" >file
    print "a test fails when they differ. [All modules](README.md)\n" >file
    n = split(purpose[m], text, "\n")
    for (j = 1; j <= n; j++) print wrapped(text[j]) "\n" >file
    n = split("Latency Throughput Steps Rules", need, " ")
    for (j = 1; j <= n; j++)
        if ((m, need[j]) in parts) {
            if (!open++) print "| | |\n|---|---|" >file
            print "| " need[j] " | " cell(capital(parts[m, need[j]])) " |" >file
        }
    if (open) print "" >file
    print_parameters(m, file)
    if (num_ports[m]) print_ports(m, file)
    if (m != "heddle_pkg") {
        print "## Instances\n" >file
        print "- Contains: " (contains[m] == "" ? "no module" : contains[m]) >file
        print "- Part of: " (users[m] == "" ? "nothing, it is the outermost" : users[m]) >file
    }
    if (tests[m] != "") {
        print "\n## Tests\n\n`ctest --test-dir build -R NAME` runs them.\n" >file
        printf "%s\n%s", head_row("name source what_it_does"), tests[m] >file
    }
    close(file)
}

function print_parameters(m, file, n, text, j, at, name) {
    if (!(m in of_engine) && parameters[m] == "") return
    print "## Parameters\n" >file
    if (m == "sm_engine") {
        print "All modules of the engine have these parameters.\n" >file
        print head_row("parameter default meaning") >file
        n = split(engine_parameters, text, "\n")
        for (j = 1; j < n; j++) {
            at = index(text[j], " ")
            name = substr(text[j], 1, at - 1)
            print "| `" name "` | " code(substr(text[j], at + 1)) " | " \
                cell(meaning[m, name]) " |" >file
        }
        print "\nThe widths of ports follow from them:\n" >file
        print head_row("width value") "\n" widths >file
    } else if (m in of_engine) {
        print "Those of [sm_engine](sm_engine.md#parameters), with the widths of ports.\n" >file
    } else print head_row("parameter default meaning") "\n" parameters[m] >file
}

function print_ports(m, file, j, names) {
    print "## Ports\n" >file
    for (j = 1; j <= num_ports[m]; j++) {
        if ((m, j) in group_of) {
            if (j > 1) print "" >file
            if (group_of[m, j] != "") print capital(group_of[m, j]) ":\n" >file
        }
        if (j == 1 || (m, j) in group_of) print head_row("port direction width meaning") >file
        names = row_names[m, j]
        gsub(/, */, "`, `", names)
        print "| `" names "` | " row_dir[m, j] " | " row_width[m, j] " | " \
            cell(row_text[m, j]) " |" >file
    }
    print "" >file
}

function print_index(file, i, m, folder, before) {
    file = out "/README.md"
    print "# Modules of the timing core\n" >file
    print "A page for each module, made from the heads in `rtl/` by" >file
    print "`tools/gen/module_pages.sh`; a test fails when they differ." >file
    print "[rtl/README.md](../../rtl/README.md) is the tour." >file
    for (i = 1; i <= num_modules; i++) {
        m = order[i]
        folder = source[m]
        sub(/\/[^\/]*$/, "", folder)
        if (folder != before)
            print "\n## " folder "\n\n" head_row("module what_it_is_for") >file
        before = folder
        print "| " link(m) " | " cell(first_sentence(m)) " |" >file
    }
    close(file)
}
