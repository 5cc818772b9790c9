; An average whose operands change places on one of two ways: it is the same on both.

define <16 x i8> @swapped(<16 x i8> %x, <16 x i8> %y, i1 %c) {
entry:
  br i1 %c, label %then, label %join

then:
  br label %join

join:
  %a = phi <16 x i8> [ %x, %entry ], [ %y, %then ]
  %b = phi <16 x i8> [ %y, %entry ], [ %x, %then ]
  %r = call <16 x i8> @llvm.x86.sse2.pavg.b(<16 x i8> %a, <16 x i8> %b)
  ret <16 x i8> %r
}

declare <16 x i8> @llvm.x86.sse2.pavg.b(<16 x i8>, <16 x i8>)
