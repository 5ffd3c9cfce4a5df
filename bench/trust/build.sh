#!/bin/sh
# Builds one program of the trust bench: build.sh FOLDER PROGRAM BOUND [-DCHANGE…]
#
# Objects that are there already are kept, so that builds differ in what was asked for alone; NAME.c is compiled anew each time, with the
# changes, and so are the bystander and the bound. LUA is the folder of Lua's sources, for the program `lua`; CC names the compiler and
# may carry options: it is split into words.
set -eu
here=$(cd "$(dirname "$0")" && pwd)/programs
mkdir -p "$1"
cd "$1"
program=$2 bound=$3
shift 3
source=${program%%-*}
: "${CC:=cc}"
if [ "$source" = lua ]; then
  set -- "$@" "-I$LUA" -DLUA_USE_POSIX
  for file in "$LUA"/*.c; do
    object=lib-$(basename "$file" .c).o
    [ -e "$object" ] || $CC -O2 -DLUA_USE_POSIX -c "$file" -o "$object"
  done
else
  # A program of its own, behind which there is nothing: an empty object keeps the link the same for all.
  [ -e lib-none.o ] || echo 'typedef int nothing;' | $CC -O2 -x c -c - -o lib-none.o
fi
for file in "$source" bystander; do $CC -O2 "$@" -c "$here/$file.c" -o "$file.o"; done
$CC -O2 "-DBOUND=$bound" -c "$here/bound.c" -o bound.o
$CC ${LINK:-} -o program "$source.o" bystander.o bound.o lib-*.o -lm
