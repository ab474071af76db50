#!/usr/bin/env bash
# install.sh BUILD OUT - installs Heddle into a prefix and below a DESTDIR, moves the prefix, and
# uses it from there with a clean environment: programs, pages, completions, and a project outside
# of the tree that is built against it by CMake and by pkg-config. Then the same for the Debian
# package.
set -euo pipefail
build=$1 out=$2
here=$(cd "$(dirname "$0")" && pwd)
. "$here/../support/need.sh"
need jq jq
need pkg-config pkg-config
rm -rf "$out"
mkdir -p "$out"
cd "$out"
failed=0
wrong() { echo "$*"; failed=1; }
clean=(env -i PATH=/usr/bin:/bin HOME="$out" HEDDLE_PROCESSORS=1)

# ---- a prefix, moved
cmake --install "$build" --prefix "$out/first" >log || { tail -5 log && exit 1; }
mkdir elsewhere
mv first elsewhere/second
root=$out/elsewhere/second
[ -L "$root/bin/heddle" ] && [ -x "$root/bin/heddle-cc" ] || wrong "bin: $(ls "$root/bin")"
if find "$root" -xtype l | grep .; then wrong "links to nowhere"; fi
# nothing of the build or the source is in it
if grep -rlI -e "$build" -e "$(dirname "$here")" "$root" | grep .; then wrong "names the build"; fi
while read -r file; do
    readelf -d "$file" | grep -E 'R(UN)?PATH' | grep -F "$build" && wrong "$file: rpath"
done < <(find "$root" -type f \( -name '*.so*' -o -path '*/bin/*' -o -path '*/apps/*' \))
[ "$(find "$root" -type f -name '*.so*' | wc -l)" -ge 8 ] || wrong "libraries are missing"

# uses DIR NAME: runs programs of an installation with nothing in the environment
uses() {
    local heddle="$1/bin/heddle" apps="$1/lib/heddle/apps"
    mkdir -p "$2"
    cd "$2"
    "${clean[@]}" "$heddle" run --set sm.count=8 --out report -- "$apps/vector_add" -n 5000 \
        >said 2>&1 && grep -q 'vector_add: PASS 5000' said ||
        wrong "$2: vector_add: $(tail -3 said)"
    jq -e '.inputs.heddle.core == "lib/libheddle_swemu.so" and
        (.inputs.files | map(.file) | contains(["share/heddle/gpus/v100.ini"]))' \
        report/report.json >/dev/null || wrong "$2: $(jq -c .inputs report/report.json)"
    "${clean[@]}" "$heddle" rerun -q report >said 2>&1 && grep -q '^same: ' said ||
        wrong "$2: rerun: $(cat said)"
    "${clean[@]}" "$heddle" doctor --json >doctor.json || true
    jq -e '[.found[] | select(.name | test("^libcudart|^libheddle|^heddle-cc|^cuda_runtime|v100"))
        | .found] | length >= 8 and all' doctor.json >/dev/null || wrong "$2: $(cat doctor.json)"
    [ "$("${clean[@]}" "$heddle" gpus --names | wc -l)" -ge 7 ] || wrong "$2: gpus"
    "${clean[@]}" "$heddle" project --to a100-80 report >said 2>&1 ||
        wrong "$2: project: $(cat said)"
    "${clean[@]}" "$apps/vector_add" >said 2>&1 && wrong "$2: a program without heddle run"
    # shellcheck disable=SC2016
    grep -q 'but not by `heddle run`' said || wrong "$2: without heddle run: $(cat said)"
    # the build's report and the installation's are the same bytes
    "$build/bin/heddle" rerun -q --only-compare --out report "$out/built" >said 2>&1 ||
        wrong "$2: not the build's results: $(cat said)"
    [ -f "$1/share/man/man1/heddle-config-new.1" ] &&
        [ -f "$1/share/heddle/nodes/modern.ini" ] &&
        [ -f "$1/share/bash-completion/completions/heddle" ] &&
        [ -f "$1/share/zsh/vendor-completions/_heddle" ] &&
        [ -f "$1/share/doc/heddle/README.md" ] || wrong "$2: a file is missing"
    cd "$out"
}
"${clean[@]}" "$build/bin/heddle" run -q --set sm.count=8 --out built -- "$build/apps/vector_add" \
    -n 5000 >said 2>&1 || wrong "in the build tree: $(cat said)"
uses "$root" moved
"${clean[@]}" bash -c '. "$1"; complete -p heddle' bash \
    "$root/share/bash-completion/completions/heddle" >/dev/null ||
    wrong "the completion does not load"

# ---- a project outside of the tree
"${clean[@]}" cmake -S "$here/project" -B project -DCMAKE_PREFIX_PATH="$root" >log 2>&1 &&
    "${clean[@]}" cmake --build project >>log 2>&1 &&
    "${clean[@]}" ctest --test-dir project --output-on-failure >>log 2>&1 ||
    wrong "cmake: $(tail -20 log)"
grep -q '100% tests passed, 0 tests failed out of 3' log || wrong "its tests: $(tail -5 log)"
export PKG_CONFIG_PATH=$root/lib/pkgconfig
[ "$(pkg-config --modversion heddle)" = "$("$build/bin/heddle" --version | cut -d' ' -f2)" ] ||
    wrong "version of heddle.pc"
# shellcheck disable=SC2046
cc "$here/project/devices.c" -o devices $(pkg-config --cflags --libs heddle) || wrong "heddle.pc"
"${clean[@]}" "$(pkg-config --variable=heddle heddle)" run --timing none --out by_pkg -- ./devices \
    >said 2>&1 && grep -q '^devices: 1, Tesla V100' said || wrong "devices: $(cat said)"
"${clean[@]}" "$(pkg-config --variable=heddle_cc heddle)" "$here/project/axpy.cu" -o axpy ||
    wrong "heddle_cc of heddle.pc"

# shellcheck disable=SC2046
cc "$(pkg-config --variable=examples libheddle)/library/vector_add.c" -o library_add \
    $(pkg-config --cflags --libs libheddle) -Wl,-rpath,"$root/lib" || wrong "libheddle.pc"
"${clean[@]}" ./library_add 1000 v100 a100-80 >said 2>&1 &&
    grep -q '^a100-80: 1000 elements' said ||
    wrong "library_add: $(cat said)"

# ---- Python: the package beside the library
python=/usr/bin/python3
# python_runs PACKAGES LINE ...: runs Python with a clean environment and these packages
python_runs() {
    local packages=$1
    shift
    "${clean[@]}" PYTHONPATH="$packages" PYTHONDONTWRITEBYTECODE=1 $python -c "$@" >said 2>&1
}
if [ -x $python ]; then
    packages=$root/lib/python3/dist-packages
    python_runs "$packages" "import heddle, sys
gpu = heddle.Gpu('v100', settings={'sm.count': 4})
run = heddle.run([sys.argv[1], '-n', '1000'], settings={'sm.count': 4})
print(heddle.version(), run.kernels[0]['cycles'] > 0, gpu.time_ps)" \
        "$root/lib/heddle/apps/vector_add" &&
        [ "$(cat said)" = "$("$build/bin/heddle" --version | cut -d' ' -f2) True 0" ] ||
        wrong "Python: $(cat said)"
    if $python -c 'import numpy' 2>/dev/null; then
        "${clean[@]}" PYTHONPATH="$packages" PYTHONDONTWRITEBYTECODE=1 \
            $python "$root/share/heddle/examples/python/saxpy.py" v100 >said 2>&1 &&
            grep -q '^v100: [0-9]* cycles' said || wrong "saxpy.py: $(cat said)"
    else
        missing numpy python3-numpy
    fi
else
    missing $python python3
fi

# ---- below DESTDIR, in one component's tree as packages are made
DESTDIR=$out/staging cmake --install "$build" --prefix /usr >log || wrong "DESTDIR: $(tail -3 log)"
if find staging -xtype l | grep .; then wrong "DESTDIR: links to nowhere"; fi
diff <(cd staging/usr && find . | sort) <(cd "$root" && find . | sort) >differ ||
    wrong "DESTDIR has other files: $(head -5 differ)"

# ---- the Debian package
if command -v dpkg-deb >/dev/null && command -v dpkg-shlibdeps >/dev/null; then
    cpack --config "$build/CPackConfig.cmake" -G DEB -B "$out/package" >log 2>&1 ||
        wrong "$(tail log)"
    deb=$(find package -maxdepth 1 -name 'heddle_*.deb')
    depends=$(dpkg-deb -f "$deb" Depends)
    for library in libc6 libglib2.0-0 libjansson4 libmicrohttpd12 libzstd1 libstdc++6; do
        grep -q "\b$library\b" <<<"$depends" || wrong "$library is not in Depends: $depends"
    done
    grep -q clang-14 <<<"$(dpkg-deb -f "$deb" Recommends)" || wrong "Recommends"
    dpkg-deb -x "$deb" unpacked
    uses "$out/unpacked/usr" packaged
    # ---- and that of the Python package, which has no machine code
    deb=$(find package -maxdepth 1 -name 'python3-heddle_*_all.deb')
    [ -n "$deb" ] || wrong "no python3-heddle: $(ls package)"
    grep -qE '^heddle \(= [0-9.]+\), python3' <<<"$(dpkg-deb -f "$deb" Depends)" ||
        wrong "python3-heddle: Depends: $(dpkg-deb -f "$deb" Depends)"
    ls unpacked/usr/lib/python3 >/dev/null 2>&1 && wrong "heddle has the Python package too"
    dpkg-deb -x "$deb" unpacked
    if [ -x $python ]; then
        python_runs unpacked/usr/lib/python3/dist-packages \
            "import heddle; print(heddle.Gpu(timing='none').time_ps)" &&
            [ "$(cat said)" = 0 ] || wrong "python3-heddle: $(cat said)"
    fi
else
    missing "dpkg-shlibdeps" dpkg-dev
fi
exit $failed
