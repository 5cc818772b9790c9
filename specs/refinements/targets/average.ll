; The rounding average, written out in wider elements, against instructions of two targets.

define <16 x i8> @average(<16 x i8> %a, <16 x i8> %b) {
  %x = zext <16 x i8> %a to <16 x i16>
  %y = zext <16 x i8> %b to <16 x i16>
  %s = add nuw nsw <16 x i16> %x, %y
  %t = add nuw nsw <16 x i16> %s, splat (i16 1)
  %h = lshr <16 x i16> %t, splat (i16 1)
  %r = trunc <16 x i16> %h to <16 x i8>
  ret <16 x i8> %r
}
define <2 x i64> @average.refuted.x86_64(<2 x i64> %a, <2 x i64> %b) {
  %x = bitcast <2 x i64> %a to <8 x i16>
  %y = bitcast <2 x i64> %b to <8 x i16>
  %s = call <8 x i16> @llvm.x86.sse2.pavg.w(<8 x i16> %x, <8 x i16> %y)
  %r = bitcast <8 x i16> %s to <2 x i64>
  ret <2 x i64> %r
}
define <16 x i8> @average.proved.x86_64(<16 x i8> %a, <16 x i8> %b) {
  %r = call <16 x i8> @llvm.x86.sse2.pavg.b(<16 x i8> %a, <16 x i8> %b)
  ret <16 x i8> %r
}
define <16 x i8> @average.proved.aarch64(<16 x i8> %a, <16 x i8> %b) {
  %r = call <16 x i8> @llvm.aarch64.neon.urhadd.v16i8(<16 x i8> %a, <16 x i8> %b)
  ret <16 x i8> %r
}
define <16 x i8> @average.refuted.aarch64(<16 x i8> %a, <16 x i8> %b) {
  %r = call <16 x i8> @llvm.aarch64.neon.uhadd.v16i8(<16 x i8> %a, <16 x i8> %b)
  ret <16 x i8> %r
}

; Neon against SSE, each with its own intrinsic.
define <16 x i8> @neon(<16 x i8> %a, <16 x i8> %b) {
  %r = call <16 x i8> @llvm.aarch64.neon.urhadd.v16i8(<16 x i8> %a, <16 x i8> %b)
  ret <16 x i8> %r
}
define <16 x i8> @neon.proved.x86_64(<16 x i8> %a, <16 x i8> %b) {
  %r = call <16 x i8> @llvm.x86.sse2.pavg.b(<16 x i8> %a, <16 x i8> %b)
  ret <16 x i8> %r
}
define <16 x i8> @neon.refuted.x86_64(<16 x i8> %a, <16 x i8> %b) {
  %c = add <16 x i8> %b, splat (i8 1)
  %r = call <16 x i8> @llvm.x86.sse2.pavg.b(<16 x i8> %a, <16 x i8> %c)
  ret <16 x i8> %r
}
declare <8 x i16> @llvm.x86.sse2.pavg.w(<8 x i16>, <8 x i16>)
declare <16 x i8> @llvm.x86.sse2.pavg.b(<16 x i8>, <16 x i8>)
declare <16 x i8> @llvm.aarch64.neon.urhadd.v16i8(<16 x i8>, <16 x i8>)
declare <16 x i8> @llvm.aarch64.neon.uhadd.v16i8(<16 x i8>, <16 x i8>)
