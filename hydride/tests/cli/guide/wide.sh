# Expresses wide.mlir by what a target has, compiles it with that target's definitions and runs it beside wide.c:
#   sh wide.sh OUT NAME TARGET "FEATURES" "OPTIONS OF LLC" "OPTIONS OF CLANG" [EMULATOR]
set -eu
out=$1 name=$2 target=$3 features=$4 llc=$5 clang=$6 emulator=${7:-}
options="{target=$target features=$features}"
mlir-opt-19 --load-dialect-plugin=./AutoLLVMPlugin.so --load-pass-plugin=./AutoLLVMPlugin.so \
  --pass-pipeline="builtin.module(legalize-autollvm$options,convert-autollvm-to-llvm$options,convert-func-to-llvm)" \
  wide.mlir > "$name.mlir"
mlir-translate-19 --mlir-to-llvmir "$name.mlir" > "$name.ll"
llvm-link-19 --only-needed --suppress-warnings "$name.ll" "$out/llvm/lowering/$target.ll" "$out/llvm/portable.ll" \
  -o "$name.linked.bc"
opt-19 $llc -passes='cgscc(inline),globaldce' "$name.linked.bc" -o "$name.bc"
llc-19 $llc -relocation-model=pic "$name.bc" -o "$name.s"
clang-19 -O1 -fno-builtin $clang wide.c "$name.s" -o "$name"
$emulator "./$name"
