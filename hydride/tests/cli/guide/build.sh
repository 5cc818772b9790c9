# Lowers filters.mlir with the dialect's plugin, compiles that with the portable bodies and with those of x86, and runs
# the former beside filters.c.
set -eu
sh plugin.sh out/mlir
mlir-opt-19 --load-dialect-plugin=./AutoLLVMPlugin.so --load-pass-plugin=./AutoLLVMPlugin.so \
  --pass-pipeline='builtin.module(convert-autollvm-to-llvm,convert-func-to-llvm)' filters.mlir > llvm.mlir
mlir-translate-19 --mlir-to-llvmir llvm.mlir > program.ll
compiled() {
  llvm-link-19 -S --only-needed filters.ll program.ll "$1" -o linked.ll
  opt-19 -S $2 -passes='cgscc(inline),globaldce' linked.ll -o inlined.ll
  llc-19 $2 inlined.ll -o "$3"
}
compiled out/llvm/lowering/x86.ll '-mtriple=x86_64-linux-gnu -mattr=+ssse3' x86.s
compiled out/llvm/portable.ll -relocation-model=pic portable.s
clang-19 -O1 filters.c portable.s -o filters
./filters
