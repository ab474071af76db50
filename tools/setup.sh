# setup.sh - sourced by run.sh and test.sh: installs missing packages, configures, builds.
#
# Packages are those of packages.txt. Without root and without sudo it names what is missing.

# heddle_install SECTION...: installs the missing packages of these sections of packages.txt.
heddle_install() {
    local missing=() name section=
    while read -r name rest; do
        case "$name" in
            '#') section=${rest%%:*}; continue ;;
            '') continue ;;
        esac
        case " $* " in *" $section "*) ;; *) continue ;; esac
        dpkg-query -W -f='${Status}' "$name" 2>/dev/null | grep -q 'install ok installed' ||
            missing+=("$name")
    done <packages.txt
    [ ${#missing[@]} -eq 0 ] && return 0
    echo "Installing: ${missing[*]}"
    local as=()
    if [ "$(id -u)" -ne 0 ]; then
        command -v sudo >/dev/null ||
            { echo "heddle: run as root: apt-get install ${missing[*]}" >&2; return 1; }
        as=(sudo)
    fi
    "${as[@]}" apt-get update -qq &&
        "${as[@]}" env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq \
            --no-install-recommends "${missing[@]}" >/dev/null ||
        { echo "heddle: apt-get could not install: ${missing[*]}" >&2; return 1; }
}

# heddle_build PRESET TARGET: configures and builds one target of a preset.
heddle_build() {
    cmake --preset "$1" >/dev/null && cmake --build --preset "$1" --target "$2"
}
