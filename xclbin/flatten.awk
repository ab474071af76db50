# flatten.awk - copies the sources that rtl/heddle.f names into one folder, with every `include
# replaced by the file's text, and writes their names in order to OUT/sources.f:
#
#   awk -v out=DIR -v folders="rtl rtl/sm ..." -v set="GROUPS=4 ..." -f flatten.awk rtl/heddle.f
#
# folders: where included files lie, the folder of heddle.f first. set: parameters of heddle_kernel
# and their values, which become the defaults in its text.
#
# Why not the files themselves: Vivado's IP packager copies sources into a folder of its own, keeps
# no macro that a project defines, and reads parameters without SYNTHESIS being defined, so the
# defaults of simulation would count. A file without `include and without parameters left open
# needs none of this. The sources have the pipelined form (HEDDLE_NBA) in emulation as well.
#
# Exit status 1, with a message: a file is missing or named twice, an `include that cannot be
# replaced, a parameter that heddle_kernel does not have.

function fail(text) {
    print "flatten.awk: " text > "/dev/stderr"
    failed = 1
    exit 1
}

# Whether the file can be read; an empty one cannot be told from a missing one, and none is empty.
function is_file(path,   line, ok) {
    ok = (getline line < path) > 0
    close(path)
    return ok
}

# The path of an included file. One that is being read cannot be looked at a second time.
function find(name, from,   i) {
    for (i = 1; i <= num_folders; i++) {
        if ((folder[i] "/" name) in reading) fail(from ": " name " includes itself")
        if (is_file(folder[i] "/" name)) return folder[i] "/" name
    }
    fail(from ": no file " name " in " folders)
}

# The line with the value of a parameter in the place of its default.
function with_parameter(line,   name, head) {
    if (!match(line, /^ *parameter +[A-Z_]+ *= */)) return line
    head = substr(line, 1, RLENGTH)
    name = head
    gsub(/parameter|[ =]/, "", name)
    if (!(name in value)) return line
    line = substr(line, RLENGTH + 1)
    sub(/^[0-9]+/, value[name], line)
    used[name] = 1
    return head line
}

# Appends the text of a file, with what it includes, to `to`. depth: of nesting, 0: the source.
function copy(path, to, depth,   line, number, name) {
    reading[path] = 1
    while ((getline line < path) > 0) {
        number++
        if (line !~ /`include/ || line ~ /^ *\/\//) {
            print depth ? line : with_parameter(line) > to
            continue
        }
        if (line !~ /^ *`include "[^"]+"( *\/\/.*)?$/)
            fail(path ":" number ": an `include that does not stand alone: " line)
        name = line
        sub(/^[^"]*"/, "", name)
        sub(/".*/, "", name)
        name = find(name, path ":" number)
        print "// " name > to
        copy(name, to, depth + 1)
    }
    close(path)
    delete reading[path]
}

BEGIN {
    num_folders = split(folders, folder, " ")
    num = split(set, pair, " ")
    for (i = 1; i <= num; i++) {
        split(pair[i], part, "=")
        value[part[1]] = part[2]
    }
    list = out "/sources.f"
    printf "" > list
}

/^\/\// || /^$/ { next }

{
    path = folder[1] "/" $0
    name = $0
    sub(/.*\//, "", name)
    if (!is_file(path)) fail("no file " path ", which " FILENAME " names")
    if (name in seen) fail("two files are called " name)
    seen[name] = 1
    to = out "/" name
    print "// Made from " $0 " by flatten.awk: do not edit." > to
    print "`ifndef SYNTHESIS\n `ifndef HEDDLE_NBA\n  `define HEDDLE_NBA\n `endif\n`endif" > to
    copy(path, to, 0)
    close(to)
    print name > list
}

END {
    if (failed) exit 1
    for (name in value)
        if (!(name in used)) fail("heddle_kernel has no parameter " name)
}
