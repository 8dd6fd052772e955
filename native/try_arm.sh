#!/bin/sh
# Tests the layers in C as on ARM processors, in an emulator. On Debian or Ubuntu, once, as root:
#
#     dpkg --add-architecture arm64 && apt-get update && apt-get install qemu-user gcc-aarch64-linux-gnu
#
# Then, in a clone with its .venv: `make test-arm`. A Python for ARM and its packages are put into .arm (1 GB), the libraries
# are compiled, and tests run with each of them. With one core it takes about half an hour.
set -eu
cd "$(dirname "$0")/.."
root=$PWD/.arm
for command in qemu-aarch64 aarch64-linux-gnu-gcc apt-get dpkg; do
    command -v "$command" > /dev/null || { echo "$command must be installed; it was not found. $0 says how." >&2; exit 1; }
done

packages="python3.11 python3.11-minimal libpython3.11-stdlib libpython3.11-minimal libc6 libgcc-s1 libstdc++6 libgomp1 zlib1g
    libexpat1 libssl3 libffi8 libbz2-1.0 liblzma5 libsqlite3-0 libuuid1 libncursesw6 libtinfo6 libcrypt1"
wheels="numpy pydantic pydantic_core safetensors tokenizers pyyaml sentencepiece hypothesis"
if [ ! -f "$root/made" ]; then
    mkdir -p "$root/downloads" "$root/system" "$root/packages"
    (cd "$root/downloads" && apt-get download $(printf '%s:arm64 ' $packages))
    for package in "$root"/downloads/*.deb; do dpkg -x "$package" "$root/system"; done
    # PyTorch 2.10 is the newest whose build for ARM on the package index needs no GPU.
    for options in "-c constraints.txt $wheels" torch==2.10.0; do
        .venv/bin/python -m pip download --quiet --no-deps --only-binary :all: --python-version 3.11 -d "$root/downloads" \
            --platform manylinux_2_28_aarch64 --platform manylinux_2_17_aarch64 --platform manylinux2014_aarch64 $options
    done
    for wheel in "$root"/downloads/*.whl; do .venv/bin/python -m zipfile -e "$wheel" "$root/packages"; done
    touch "$root/made"
fi

trap 'rm -f src/regard/compiled/layers-i8mm.so src/regard/compiled/layers-dotprod.so src/regard/compiled/layers-neon.so' EXIT
CC=aarch64-linux-gnu-gcc .venv/bin/python native/build.py src/regard/compiled arm64
pure=$(.venv/bin/python -c 'import sysconfig; print(sysconfig.get_path("purelib"))')
# KIND TESTS...
run() {
    kind=$1; shift
    echo "--- $kind"
    PYTHONPATH=$root/packages:$PWD/src:$pure OMP_NUM_THREADS=1 REGARD_CPU=$kind PYTEST_DISABLE_PLUGIN_AUTOLOAD=1 \
        qemu-aarch64 -cpu max -L "$root/system" "$root/system/usr/bin/python3.11" -m pytest -q -p no:cacheprovider \
        -k "not sanitized and not compile and not shared_work" "$@"
}
run i8mm tests/engines tests/test_stored_models.py
run dotprod tests/engines/test_native.py tests/test_stored_models.py
run neon tests/engines/test_native.py tests/test_stored_models.py
