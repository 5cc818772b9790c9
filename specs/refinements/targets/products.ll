; Sums of products and narrowing with saturation.

define <4 x i32> @dot(<8 x i16> %a, <8 x i16> %b) {
  %x = sext <8 x i16> %a to <8 x i32>
  %y = sext <8 x i16> %b to <8 x i32>
  %p = mul nsw <8 x i32> %x, %y
  %e = shufflevector <8 x i32> %p, <8 x i32> poison, <4 x i32> <i32 0, i32 2, i32 4, i32 6>
  %o = shufflevector <8 x i32> %p, <8 x i32> poison, <4 x i32> <i32 1, i32 3, i32 5, i32 7>
  %r = add <4 x i32> %e, %o
  ret <4 x i32> %r
}
define <4 x i32> @dot.proved.x86_64(<8 x i16> %a, <8 x i16> %b) {
  %r = call <4 x i32> @llvm.x86.sse2.pmadd.wd(<8 x i16> %a, <8 x i16> %b)
  ret <4 x i32> %r
}
define <4 x i32> @dot.refuted.x86_64(<8 x i16> %a, <8 x i16> %b) {
  %s = shufflevector <8 x i16> %b, <8 x i16> poison, <8 x i32> <i32 1, i32 0, i32 3, i32 2, i32 5, i32 4, i32 7, i32 6>
  %r = call <4 x i32> @llvm.x86.sse2.pmadd.wd(<8 x i16> %a, <8 x i16> %s)
  ret <4 x i32> %r
}
define <4 x i32> @pairwise(<8 x i16> %a) {
  %r = call <4 x i32> @llvm.x86.sse2.pmadd.wd(<8 x i16> %a, <8 x i16> splat (i16 1))
  ret <4 x i32> %r
}
define <4 x i32> @pairwise.proved.aarch64(<8 x i16> %a) {
  %r = call <4 x i32> @llvm.aarch64.neon.saddlp.v4i32.v8i16(<8 x i16> %a)
  ret <4 x i32> %r
}
define <4 x i32> @pairwise.refuted.aarch64(<8 x i16> %a) {
  %r = call <4 x i32> @llvm.aarch64.neon.uaddlp.v4i32.v8i16(<8 x i16> %a)
  ret <4 x i32> %r
}

define <16 x i8> @packed(<8 x i16> %a, <8 x i16> %b) {
  %w = shufflevector <8 x i16> %a, <8 x i16> %b, <16 x i32> <i32 0, i32 1, i32 2, i32 3, i32 4, i32 5, i32 6, i32 7, i32 8, i32 9, i32 10, i32 11, i32 12, i32 13, i32 14, i32 15>
  %l = call <16 x i16> @llvm.smax.v16i16(<16 x i16> %w, <16 x i16> zeroinitializer)
  %h = call <16 x i16> @llvm.smin.v16i16(<16 x i16> %l, <16 x i16> splat (i16 255))
  %r = trunc <16 x i16> %h to <16 x i8>
  ret <16 x i8> %r
}
define <16 x i8> @packed.proved.x86_64(<8 x i16> %a, <8 x i16> %b) {
  %r = call <16 x i8> @llvm.x86.sse2.packuswb.128(<8 x i16> %a, <8 x i16> %b)
  ret <16 x i8> %r
}
define <16 x i8> @packed.refuted.x86_64(<8 x i16> %a, <8 x i16> %b) {
  %r = call <16 x i8> @llvm.x86.sse2.packsswb.128(<8 x i16> %a, <8 x i16> %b)
  ret <16 x i8> %r
}
define <16 x i8> @packed.proved.aarch64(<8 x i16> %a, <8 x i16> %b) {
  %l = call <8 x i8> @llvm.aarch64.neon.sqxtun.v8i8(<8 x i16> %a)
  %h = call <8 x i8> @llvm.aarch64.neon.sqxtun.v8i8(<8 x i16> %b)
  %r = shufflevector <8 x i8> %l, <8 x i8> %h, <16 x i32> <i32 0, i32 1, i32 2, i32 3, i32 4, i32 5, i32 6, i32 7, i32 8, i32 9, i32 10, i32 11, i32 12, i32 13, i32 14, i32 15>
  ret <16 x i8> %r
}
define <16 x i8> @packed.refuted.aarch64(<8 x i16> %a, <8 x i16> %b) {
  %l = call <8 x i8> @llvm.aarch64.neon.uqxtn.v8i8(<8 x i16> %a)
  %h = call <8 x i8> @llvm.aarch64.neon.uqxtn.v8i8(<8 x i16> %b)
  %r = shufflevector <8 x i8> %l, <8 x i8> %h, <16 x i32> <i32 0, i32 1, i32 2, i32 3, i32 4, i32 5, i32 6, i32 7, i32 8, i32 9, i32 10, i32 11, i32 12, i32 13, i32 14, i32 15>
  ret <16 x i8> %r
}

; A scalar loop against AVX-512: the sum of four products of bytes and an accumulator.
define <16 x i32> @four(<16 x i32> %c, <64 x i8> %a, <64 x i8> %b) {
entry:
  br label %loop
loop:
  %i = phi i64 [ 0, %entry ], [ %j, %loop ]
  %s = phi <16 x i32> [ %c, %entry ], [ %u, %loop ]
  %l = lshr i64 %i, 2
  %x = extractelement <64 x i8> %a, i64 %i
  %y = extractelement <64 x i8> %b, i64 %i
  %v = zext i8 %x to i32
  %w = sext i8 %y to i32
  %p = mul nsw i32 %v, %w
  %o = extractelement <16 x i32> %s, i64 %l
  %t = add i32 %o, %p
  %u = insertelement <16 x i32> %s, i32 %t, i64 %l
  %j = add nuw nsw i64 %i, 1
  %e = icmp eq i64 %j, 64
  br i1 %e, label %end, label %loop
end:
  ret <16 x i32> %u
}
define <16 x i32> @four.proved.x86_64(<16 x i32> %c, <16 x i32> %a, <16 x i32> %b) {
  %f = freeze <16 x i32> %c
  %g = freeze <16 x i32> %a
  %h = freeze <16 x i32> %b
  %r = call <16 x i32> @llvm.x86.avx512.vpdpbusd.512(<16 x i32> %f, <16 x i32> %g, <16 x i32> %h)
  ret <16 x i32> %r
}
define <16 x i32> @four.refuted.x86_64(<16 x i32> %c, <16 x i32> %a, <16 x i32> %b) {
  %r = call <16 x i32> @llvm.x86.avx512.vpdpbusds.512(<16 x i32> %c, <16 x i32> %a, <16 x i32> %b)
  ret <16 x i32> %r
}
declare <4 x i32> @llvm.x86.sse2.pmadd.wd(<8 x i16>, <8 x i16>)
declare <4 x i32> @llvm.aarch64.neon.saddlp.v4i32.v8i16(<8 x i16>)
declare <4 x i32> @llvm.aarch64.neon.uaddlp.v4i32.v8i16(<8 x i16>)
declare <16 x i16> @llvm.smax.v16i16(<16 x i16>, <16 x i16>)
declare <16 x i16> @llvm.smin.v16i16(<16 x i16>, <16 x i16>)
declare <16 x i8> @llvm.x86.sse2.packuswb.128(<8 x i16>, <8 x i16>)
declare <16 x i8> @llvm.x86.sse2.packsswb.128(<8 x i16>, <8 x i16>)
declare <8 x i8> @llvm.aarch64.neon.sqxtun.v8i8(<8 x i16>)
declare <8 x i8> @llvm.aarch64.neon.uqxtn.v8i8(<8 x i16>)
declare <16 x i32> @llvm.x86.avx512.vpdpbusd.512(<16 x i32>, <16 x i32>, <16 x i32>)
declare <16 x i32> @llvm.x86.avx512.vpdpbusds.512(<16 x i32>, <16 x i32>, <16 x i32>)
