; A rounding average of bytes that goes through averages of words.

define <16 x i8> @average(<16 x i8> %x, <16 x i8> %y) {
  %a = zext <16 x i8> %x to <16 x i16>
  %b = zext <16 x i8> %y to <16 x i16>
  %c = call <16 x i16> @llvm.x86.avx2.pavg.w(<16 x i16> %a, <16 x i16> %b)
  %d = trunc <16 x i16> %c to <16 x i8>
  ret <16 x i8> %d
}

declare <16 x i16> @llvm.x86.avx2.pavg.w(<16 x i16>, <16 x i16>)
