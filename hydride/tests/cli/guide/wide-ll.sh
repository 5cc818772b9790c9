# As wide.sh, for the program in LLVM IR: the plugin for opt expresses it by what the target has.
#   sh wide-ll.sh OUT NAME TARGET "OPTIONS OF OPT AND LLC" "OPTIONS OF CLANG" [EMULATOR]
set -eu
out=$1 name=$2 target=$3 llc=$4 clang=$5 emulator=${6:-}
opt-19 -load-pass-plugin=./AutoLLVM.so -autollvm-lowering="$out/llvm/lowering/$target.ll,$out/llvm/portable.ll" $llc \
  -passes=autollvm-lower -S wide.ll -o "$name.ll"
opt-19 $llc -passes='cgscc(inline),globaldce' "$name.ll" -o "$name.bc"
llc-19 $llc -relocation-model=pic "$name.bc" -o "$name.s"
clang-19 -O1 -fno-builtin $clang wide.c "$name.s" -o "$name"
$emulator "./$name"
