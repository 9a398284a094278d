# Shared by `roots` and `run`: which roots there are, and what is in them.

readonly all_roots=(trixie sid experimental)

die() {
    printf 'newer-runtimes: %s\n' "$*" >&2
    exit 1
}

say() {
    printf '== %s\n' "$*" >&2
}

is_root_name() {
    [[ " ${all_roots[*]} " == *" $1 "* ]]
}

expected_rocr() {
    case $1 in
    trixie) echo 6.1 ;;
    sid) echo 6.4 ;;
    experimental) echo 7.2 ;;
    esac
}

# LLVM version of the root's hipcc.
llvm_major() {
    case $1 in
    trixie) echo 17 ;;
    sid) echo 21 ;;
    experimental) echo 22 ;;
    esac
}

# The runtimes and their compiler, what our own programs link, what the compiler plugin for a version that Debian 12 does
# not have is built with, and what its tests need; where a newer Triton runs, what that needs.
packages() {
    [[ $1 == trixie ]] || printf '%s\n' llvm-22 lld-22 python3-dev
    printf '%s\n' libhsa-runtime64-1 libhsa-runtime-dev libamdhip64-dev rocminfo hipcc kmod \
        libdw1t64 libelf1t64 libsqlite3-0 libjansson4 \
        "llvm-$(llvm_major "$1")-dev" uthash-dev cmake ninja-build python3
}

# In a root named by its directory: a command, with nothing of the caller's environment.
in_root() {
    local root=$1
    shift
    env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin HOME=/root LC_ALL=C.UTF-8 DEBIAN_FRONTEND=noninteractive \
        chroot "$root" "$@"
}

rocr_version() {
    in_root "$1" dpkg-query -W -f '${Version}' libhsa-runtime64-1
}
