#!/bin/sh
# check_rocminfo.sh LIBRARY: what the unmodified rocminfo says, good and bad configurations, and no litter.
library=$1
fail() {
    echo "failed: $*"
    exit 1
}
has() { # text pattern
    printf '%s\n' "$1" | grep -q -- "$2" || fail "no '$2' in: $1"
}

out=$(LD_PRELOAD=$library rocminfo 2>&1) || fail "rocminfo exit code $?: $out"
has "$out" 'Name: *gfx90a'
has "$out" 'amdgcn-amd-amdhsa--gfx90a:sramecc+:xnack-'
has "$out" 'Marketing Name: *AMD Instinct MI210'
has "$out" 'Compute Unit: *104'
has "$out" 'Wavefront Size: *64(0x40)'
has "$out" 'Size: *67108864(0x4000000) KB'
has "$out" 'KERNARG, FINE GRAINED'

out=$(LANESCOPE_GPU=soft:gfx90ax2 LD_PRELOAD=$library rocminfo 2>&1) || fail "two GPUs: $out"
[ "$(printf '%s\n' "$out" | grep -c 'Name: *gfx90a *$')" = 2 ] || fail "two GPUs expected: $out"

# Bad values: one line that names the variable, and then a machine without a GPU.
out=$(LANESCOPE_GPU=soft:gfx700 LD_PRELOAD=$library rocminfo 2>&1) && [ -e /dev/kfd ] || has "$out" 'LANESCOPE_GPU'
has "$out" "LANESCOPE_GPU: 'soft:gfx700' is not accepted"
# A GPU that the software GPU has and an older ROCr has not: the same, with the cause.
out=$(LANESCOPE_GPU=soft:gfx1100 LD_PRELOAD=$library rocminfo 2>&1)
has "$out" 'Name: *gfx1100\|does not know gfx1100: running without a GPU'
out=$(LANESCOPE_SOFT_THREADS=many LD_PRELOAD=$library rocminfo 2>&1)
has "$out" "LANESCOPE_SOFT_THREADS: 'many' is not accepted"
for variable in LANESCOPE_SOFT_INTERPRET LANESCOPE_SOFT_EXACT_MATRIX; do
    for word in true false yes no on off 1 0 TRUE; do
        out=$(env $variable=$word LD_PRELOAD=$library rocminfo 2>&1) || fail "$variable=$word: $out"
        has "$out" 'Name: *gfx90a'
    done
    out=$(env $variable=2 LD_PRELOAD=$library rocminfo 2>&1)
    has "$out" "$variable: '2' is not accepted; give true or false"
done

# What rocm_smi_lib looks for (rocm_smi_main.cc), and the versions that clients without ROCr ask for: of a
# gfx942's GC 9.4.3, SDMA 4.4.2, NBIF 7.9.0.
see() { # command, in two GPUs
    LANESCOPE_GPU=soft:gfx942x2 LD_PRELOAD=$library "$@" 2>&1
}
[ "$(see ls /sys/class/drm | tr '\n' ' ')" = 'card0 card1 renderD128 renderD129 ' ] || fail 'cards'
has "$(see readlink /sys/class/drm/card1)" '/0000:04:00.0/drm/card1$'
for card in card1 renderD129; do
    device=/sys/class/drm/$card/device
    [ "$(see cat $device/vendor $device/hwmon/hwmon0/name | tr '\n' ' ')" = '0x1002 amdgpu ' ] || fail "$device"
    [ "$(see ls $device/drm | tr '\n' ' ')" = 'card1 renderD129 ' ] || fail "$device/drm"
    [ "$(see cat $device/drm/card1/dev)" = 226:1 ] || fail "$device/drm/card1/dev"
    [ "$(see cat $device/unique_id)" = 0123456789abcdf0 ] || fail "$device/unique_id"
    versions=$(for block in 11 42 108; do
        see cat $device/ip_discovery/die/0/$block/0/major $device/ip_discovery/die/0/$block/0/minor \
            $device/ip_discovery/die/0/$block/0/revision
    done | tr -d '\n')
    [ "$versions" = 943442790 ] || fail "blocks $versions of $device"
done

# Ordinary programs see the tree as files, and nothing else changes for them.
out=$(LD_PRELOAD=$library cat /sys/devices/virtual/kfd/kfd/topology/nodes/1/gpu_id) || fail "cat"
[ -n "$out" ] && [ "$out" != 0 ] || fail "gpu_id is '$out'"
out=$(LD_PRELOAD=$library python3 -c '
import os, stat
base = "/sys/class/kfd/kfd/topology/nodes"
assert sorted(os.listdir(base)) == ["0", "1"], os.listdir(base)
assert "gfx_target_version 90010" in open(base + "/1/properties").read()
assert len(open(base + "/1/properties").read()) < 4096
assert not os.path.exists(base + "/2")
assert os.path.isdir(base) and os.path.isfile(base + "/0/gpu_id")
st = os.stat("/dev/dri/renderD128")
assert stat.S_ISCHR(st.st_mode) and os.major(st.st_rdev) == 226 and os.minor(st.st_rdev) == 128
fd = os.open("/dev/kfd", os.O_RDWR)
assert stat.S_ISCHR(os.fstat(fd).st_mode)
assert "amdgpu" in open("/proc/modules").read()

# A forked child gets a GPU of its own, also through a descriptor that it inherited.
import fcntl, struct
version = fcntl.ioctl(fd, 0x80084b01, bytes(8))
assert struct.unpack("II", version)[0] == 1
inode = os.fstat(fd).st_ino
pid = os.fork()
if pid == 0:
    ok = fcntl.ioctl(fd, 0x80084b01, bytes(8)) == version and os.fstat(fd).st_ino != inode
    os._exit(0 if ok else 1)
assert os.waitpid(pid, 0)[1] == 0 and os.fstat(fd).st_ino == inode
try:
    fcntl.ioctl(fd, 0xc0044b7f, bytes(4)) # no such ioctl
    assert False
except OSError as e:
    assert e.errno == 22
') || fail "python"
exit 0
