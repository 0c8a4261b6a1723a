#!/bin/sh
# Builds the fixtures of this folder with the clang and lld of the "ziglang" wheel, version 0.17.1, and writes SHA256SUMS.
#   python -m pip install ziglang==0.17.1 && PYTHON=python sh build.sh
set -eu
cd "$(dirname "$0")"
zig() { "${PYTHON:-python3}" -m ziglang "$@"; }
while read -r name target flags; do
    # shellcheck disable=SC2086
    zig cc -target "$target" $flags -shared -fPIC -O1 -g0 -fno-sanitize=all -fno-stack-protector -Wl,-soname,libuses.so.1 \
        -Wl,--version-script=uses.map -Wl,-rpath,'$ORIGIN/libs' -Wl,--build-id=sha1 -Wl,--allow-shlib-undefined \
        -Wl,-s -o "uses-$name-lld.so" uses.c
done <<TARGETS
x86_64 x86_64-linux-gnu.2.28
i686 x86-linux-gnu.2.28
aarch64 aarch64-linux-gnu.2.28
armv7l arm-linux-gnueabihf.2.28
ppc64le powerpc64le-linux-gnu.2.28
s390x s390x-linux-gnu.2.28
riscv64 riscv64-linux-gnu.2.28
loongarch64 loongarch64-linux-gnu.2.36
TARGETS
chmod -x uses-*.so
sha256sum uses.c uses.map *.so > SHA256SUMS
