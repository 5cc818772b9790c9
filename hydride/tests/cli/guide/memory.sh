# Lowers memory.mlir for a target, compiles it with that target's definitions and runs it by memory.c:
#   sh memory.sh OUT TARGET "FEATURES" "OPTIONS OF LLC" "OPTIONS OF CLANG" [EMULATOR]
set -eu
out=$1 target=$2 features=$3 llc=$4 clang=$5 emulator=${6:-}
mlir-opt-19 --load-dialect-plugin=./AutoLLVMPlugin.so --load-pass-plugin=./AutoLLVMPlugin.so \
  --pass-pipeline="builtin.module(convert-autollvm-to-llvm{target=$target features=$features},convert-func-to-llvm)" \
  memory.mlir > lowered.mlir
mlir-translate-19 --mlir-to-llvmir lowered.mlir > lowered.ll
llvm-link-19 --only-needed --suppress-warnings lowered.ll "$out/llvm/lowering/$target.ll" -o linked.bc
opt-19 $llc -passes='cgscc(inline),globaldce' linked.bc -o memory.bc
llc-19 $llc -relocation-model=pic memory.bc -o memory.s
$clang -O1 -static memory.c memory.s -o memory
$emulator ./memory
