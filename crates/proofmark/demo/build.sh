#!/bin/sh
# Builds the demo's interpreter: build.sh FOLDER OPTIMISATION. CC names the compiler.
set -eu
cd "$1"
rm -f ./*.o lua
for source in ./*.c; do
  ${CC:-cc} "$2" -DLUA_USE_POSIX -c "$source"
done
${CC:-cc} -o lua ./*.o -lm
