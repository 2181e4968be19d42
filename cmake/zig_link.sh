#!/bin/sh
# zig_link.sh TABLE [-O2] COMMAND...: runs a link command without the arguments that zig rejects and
# that TABLE marks as dropped, because what is linked works the same without them.  With -O2, it adds
# that, but drops no sections because of it.
pattern='s/^[a-z]*\t\([^\t]*\)\tdropped\t\([a-z-]*\)\t.*/\1 \2/p'
table="
$(command -p sed -n "$pattern" "$1")
"
shift
optimize=''
if [ "$1" = -O2 ]; then
  optimize='-O2 -Wl,--no-gc-sections'
  shift
fi

# Whether the argument $1 is dropped; sets `skip` if the next one is its value.
is_dropped() {
  case $table in
    *"
$1 value
"*) skip=yes ;;
    *"
$1 -
"* | *"
${1%%=*} "*) ;;
    *) return 1 ;;
  esac
}

# Adds the linker argument $1 to `kept`, a list as after -Wl; `-z KEYWORD` is one argument.
keep() {
  if [ "$skip" ]; then
    skip=''
  elif [ "$1" = -z ]; then
    z=yes
  else
    part=${z:+-z,}$1
    z=''
    is_dropped "$part" || kept="$kept,$part"
  fi
}

skip='' z='' next='' count=$#
while [ "$count" -gt 0 ]; do
  word=$1 kept=''
  shift
  count=$((count - 1))
  case $next$word in
    -Xlinker) next=X; continue ;;
    -z) z=yes next=X; continue ;;
    -l*) ! is_dropped "$word" || continue ;;
    -Wl,*)
      rest=${word#-Wl,},
      while [ "$rest" ]; do
        keep "${rest%%,*}"
        rest=${rest#*,}
      done
      word=-Wl$kept ;;
    X*) next=''; keep "$word"; word=-Wl$kept ;;
  esac
  [ "$word" = -Wl ] || set -- "$@" "$word"
done
exec "$@" $optimize
