#!/bin/sh
# run.sh CMAKE BUILD WORK COMPILER TEST LIBDIR DATADIR CXX - installs the component handler-sdk of BUILD into an empty prefix
# below WORK, builds the installed template against it, with CMake and with pkg-config, and runs TEST on the modules.
set -eu
cmake=$1 build=$2 work=$3 compiler=$4 test=$5 libdir=$6 datadir=$7 cxx=$8
rm -rf "$work"
mkdir -p "$work"
"$cmake" --install "$build" --prefix "$work/prefix" --component handler-sdk >"$work/install.log"
source=$work/prefix/$datadir/lanescope/handler-template
"$cmake" -S "$source" -B "$work/build" -DCMAKE_PREFIX_PATH="$work/prefix" -DCMAKE_C_COMPILER="$compiler" \
    -DCMAKE_C_FLAGS="-std=c11 -Wall -Wextra -Werror" >"$work/configure.log"
"$cmake" --build "$work/build" >"$work/build.log" || { cat "$work/build.log"; exit 1; }
"$test" "$work/build"

# They are to be read: none is longer than 150 lines.
for file in "$source"/*.c; do
    [ "$(wc -l <"$file")" -lt 150 ] || { echo "$file has 150 lines or more"; exit 1; }
done

# The template is C and C++, and the headers can be read by both, whoever comes first.
include="-I$work/prefix/include -Wall -Wextra -Werror -fPIC -shared"
mkdir "$work/both"
# shellcheck disable=SC2086
"$compiler" -std=c11 $include "$source/template.c" -o "$work/both/c.so"
# shellcheck disable=SC2086
"$cxx" -std=c++17 -x c++ $include "$source/template.c" -o "$work/both/template.so"
for header in "$work"/prefix/include/lanescope/handler.h "$work"/prefix/include/lanescope/sdk/*.h; do
    # shellcheck disable=SC2086
    echo "#include \"$header\"" | "$compiler" -std=c11 -x c $include - -o "$work/both/header.so"
    # shellcheck disable=SC2086
    echo "#include \"$header\"" | "$cxx" -std=c++17 -x c++ $include - -o "$work/both/header.so"
done
"$test" "$work/both" template

command -v pkg-config >/dev/null || exit 0
flags=$(PKG_CONFIG_PATH=$work/prefix/$libdir/pkgconfig \
    pkg-config --cflags lanescope-handler)
mkdir "$work/plain"
for name in template uniform_loads stride_histogram group_balance; do
    # shellcheck disable=SC2086
    "$compiler" -shared -fPIC $flags "$source/$name.c" -o "$work/plain/$name.so"
done
"$test" "$work/plain"
