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
  uint8_t Mask, PassThrough, Rest;
  const char *Extensions;
};

#define GET_AutoLLVMLowering_DECL
#define GET_AutoLLVMLowering_IMPL
#include "AutoLLVMLowering.inc"

int main() {
  const char *Instance = "llvm.autollvm.add_sat.v32i8()";
  if (auto *Entry = lookupAutoLLVMLoweringByInstance(Target_west, Instance, "merge"))
    printf("%s %s %d %d\n", Entry->Intrinsic, Entry->Args, Entry->Mask, Entry->PassThrough);
  if (!lookupAutoLLVMLoweringByInstance(Target_west, Instance, "none"))
    puts("no unmasked form");
  // Rows of one instance are told apart by what becomes of its result.
  for (const char *Masking : {"none", "part:64+128", "merge:not", "zero:4:32"})
    for (auto Target : {Target_east, Target_west})
      for (const char *Add : {"llvm.autollvm.add.v16i8()", "llvm.autollvm.add.v128i16()"})
        if (auto *Entry = lookupAutoLLVMLoweringByInstance(Target, Add, Masking))
          printf("%s %s %d %d %d\n", Masking, Entry->Intrinsic, Entry->Mask, Entry->PassThrough, Entry->Rest);
  for (auto &Entry : lookupAutoLLVMLowerings(Op_compare_lt, Target_west))
    puts(Entry.Intrinsic);
  puts(lookupAutoLLVMLoweringByIntrinsic("crc")->Instance);
}
