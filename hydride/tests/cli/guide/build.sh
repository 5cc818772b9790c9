# Builds the dialect's plugin, lowers filters.mlir with it, compiles that with the portable bodies and with those of x86,
# and runs the former beside filters.c.
set -eu
include=/usr/lib/llvm-19/include
cd out/mlir
made() { mlir-tblgen-19 -I $include -I . "$1" $2 -o "$3"; }
made -gen-dialect-decls "-dialect=autollvm AutoLLVMOps.td" AutoLLVMOpsDialect.h.inc
made -gen-dialect-defs "-dialect=autollvm AutoLLVMOps.td" AutoLLVMOpsDialect.cpp.inc
made -gen-op-decls AutoLLVMOps.td AutoLLVMOps.h.inc
made -gen-op-defs AutoLLVMOps.td AutoLLVMOps.cpp.inc
made -gen-op-interface-decls AutoLLVMInterfaces.td AutoLLVMInterfaces.h.inc
made -gen-op-interface-defs AutoLLVMInterfaces.td AutoLLVMInterfaces.cpp.inc
printf '#include "%s"\n' AutoLLVM*.cpp > unit.cpp
clang++-19 -std=c++17 -fno-rtti -fPIC -shared -I $include -I . unit.cpp -o ../../AutoLLVMPlugin.so
cd ../..
mlir-opt-19 --load-dialect-plugin=./AutoLLVMPlugin.so --load-pass-plugin=./AutoLLVMPlugin.so \
  --pass-pipeline='builtin.module(convert-autollvm-to-llvm,convert-func-to-llvm)' filters.mlir > llvm.mlir
mlir-translate-19 --mlir-to-llvmir llvm.mlir > program.ll
compiled() {
  llvm-link-19 -S --only-needed filters.ll program.ll "$1" -o linked.ll
  opt-19 -S -passes='always-inline,globaldce' linked.ll -o inlined.ll
  llc-19 $2 inlined.ll -o "$3"
}
compiled out/llvm/lowering/x86.ll '-mtriple=x86_64-linux-gnu -mattr=+ssse3' x86.s
compiled out/llvm/portable.ll -relocation-model=pic portable.s
clang-19 -O1 filters.c portable.s -o filters
./filters
