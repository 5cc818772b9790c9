// Compiles what mlir-tblgen makes of the generated operation definitions.
#include "mlir/Bytecode/BytecodeOpInterface.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Dialect.h"
#include "mlir/IR/OpDefinition.h"
#include "mlir/IR/OpImplementation.h"
#include "mlir/IR/TypeUtilities.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

#include "AutoLLVMDialect.h.inc"
#define GET_OP_CLASSES
#include "AutoLLVMOps.h.inc"

#include "AutoLLVMDialect.cpp.inc"

void autollvm::AutoLLVMDialect::initialize() {
  addOperations<
#define GET_OP_LIST
#include "AutoLLVMOps.cpp.inc"
      >();
}

#define GET_OP_CLASSES
#include "AutoLLVMOps.cpp.inc"
