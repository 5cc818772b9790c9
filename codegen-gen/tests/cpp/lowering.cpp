// Looks rows up in the tables that llvm-tblgen makes of the generated lowering records.
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringRef.h"
#include <cstdint>
#include <cstdio>

using namespace llvm;

#define GET_AutoLLVMOp_DECL
#define GET_AutoLLVMTarget_DECL
#include "AutoLLVMLowering.inc"

struct AutoLLVMLoweringEntry {
  AutoLLVMOp Op;
  AutoLLVMTarget Target;
  const char *Instance, *Intrinsic, *Args, *Masking;
  uint8_t Mask, PassThrough;
  const char *Extensions;
};

#define GET_AutoLLVMLowering_DECL
#define GET_AutoLLVMLowering_IMPL
#include "AutoLLVMLowering.inc"

int main() {
  const char *Instance = "llvm.autollvm.add_sat.v32i8(8,32,1)";
  if (auto *Entry = lookupAutoLLVMLoweringByInstance(Target_west, Instance, "merge"))
    printf("%s %s %d %d\n", Entry->Intrinsic, Entry->Args, Entry->Mask, Entry->PassThrough);
  if (!lookupAutoLLVMLoweringByInstance(Target_west, Instance, "none"))
    puts("no unmasked form");
  for (auto &Entry : lookupAutoLLVMLowerings(Op_compare_lt, Target_west))
    puts(Entry.Intrinsic);
  puts(lookupAutoLLVMLoweringByIntrinsic("crc")->Instance);
}
