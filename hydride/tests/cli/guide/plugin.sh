# Builds the dialect in a folder as AutoLLVMPlugin.so, with all operations or those whose names a regular expression
# matches: sh plugin.sh out/mlir [REGEX]
set -eu
include=/usr/lib/llvm-19/include
dialect=$(cd "$1" && pwd) operations=${2:-.}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
made() {
  file=$1
  shift
  mlir-tblgen-19 -I $include -I "$dialect" "$@" -o "$work/$file"
}
made AutoLLVMOpsDialect.h.inc -gen-dialect-decls -dialect=autollvm "$dialect/AutoLLVMOps.td"
made AutoLLVMOpsDialect.cpp.inc -gen-dialect-defs -dialect=autollvm "$dialect/AutoLLVMOps.td"
made AutoLLVMOps.h.inc -gen-op-decls "-op-include-regex=$operations" "$dialect/AutoLLVMOps.td"
made AutoLLVMOps.cpp.inc -gen-op-defs "-op-include-regex=$operations" "$dialect/AutoLLVMOps.td"
made AutoLLVMInterfaces.h.inc -gen-op-interface-decls "$dialect/AutoLLVMInterfaces.td"
made AutoLLVMInterfaces.cpp.inc -gen-op-interface-defs "$dialect/AutoLLVMInterfaces.td"
printf '#include "%s"\n' "$dialect"/AutoLLVM*.cpp > "$work/unit.cpp"
clang++-19 -std=c++17 -fno-rtti -fPIC -shared -I $include -I "$work" -I "$dialect" "$work/unit.cpp" -o AutoLLVMPlugin.so
