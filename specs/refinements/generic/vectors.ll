; Vectors: poison element by element, shuffles, bitcasts and reductions.

define <4 x i8> @reversed(<4 x i8> %a) {
  %b = bitcast <4 x i8> %a to i32
  %s = call i32 @llvm.bswap.i32(i32 %b)
  %r = bitcast i32 %s to <4 x i8>
  ret <4 x i8> %r
}
define <4 x i8> @reversed.proved(<4 x i8> %a) {
  %r = shufflevector <4 x i8> %a, <4 x i8> poison, <4 x i32> <i32 3, i32 2, i32 1, i32 0>
  ret <4 x i8> %r
}
define <4 x i8> @reversed.refuted(<4 x i8> %a) {
  %r = shufflevector <4 x i8> %a, <4 x i8> poison, <4 x i32> <i32 3, i32 2, i32 0, i32 1>
  ret <4 x i8> %r
}

; The bits together are poison if one element is.
define <4 x i8> @moved(<4 x i8> %a) {
  %r = shufflevector <4 x i8> %a, <4 x i8> zeroinitializer, <4 x i32> <i32 4, i32 0, i32 1, i32 2>
  ret <4 x i8> %r
}
define <4 x i8> @moved.refuted(<4 x i8> %a) {
  %b = bitcast <4 x i8> %a to i32
  %s = shl i32 %b, 8
  %r = bitcast i32 %s to <4 x i8>
  ret <4 x i8> %r
}
define <4 x i8> @moved.proved(<4 x i8> %a) {
  %f = freeze <4 x i8> %a
  %b = bitcast <4 x i8> %f to i32
  %s = shl i32 %b, 8
  %r = bitcast i32 %s to <4 x i8>
  ret <4 x i8> %r
}

define <8 x i8> @average(<8 x i8> %a, <8 x i8> %b) {
  %x = zext <8 x i8> %a to <8 x i16>
  %y = zext <8 x i8> %b to <8 x i16>
  %s = add nuw nsw <8 x i16> %x, %y
  %t = add nuw nsw <8 x i16> %s, splat (i16 1)
  %h = lshr <8 x i16> %t, splat (i16 1)
  %r = trunc nuw <8 x i16> %h to <8 x i8>
  ret <8 x i8> %r
}
define <8 x i8> @average.proved(<8 x i8> %a, <8 x i8> %b) {
  %o = or <8 x i8> %a, %b
  %x = xor <8 x i8> %a, %b
  %h = lshr <8 x i8> %x, splat (i8 1)
  %r = sub nuw <8 x i8> %o, %h
  ret <8 x i8> %r
}
define <8 x i8> @average.refuted(<8 x i8> %a, <8 x i8> %b) {
  %o = and <8 x i8> %a, %b
  %x = xor <8 x i8> %a, %b
  %h = lshr <8 x i8> %x, splat (i8 1)
  %r = add <8 x i8> %o, %h
  ret <8 x i8> %r
}

define i32 @total(<4 x i32> %a) {
  %r = call i32 @llvm.vector.reduce.add.v4i32(<4 x i32> %a)
  ret i32 %r
}
define i32 @total.proved(<4 x i32> %a) {
  %s = shufflevector <4 x i32> %a, <4 x i32> poison, <4 x i32> <i32 2, i32 3, i32 poison, i32 poison>
  %b = add <4 x i32> %a, %s
  %t = shufflevector <4 x i32> %b, <4 x i32> poison, <4 x i32> <i32 1, i32 poison, i32 poison, i32 poison>
  %c = add <4 x i32> %b, %t
  %r = extractelement <4 x i32> %c, i64 0
  ret i32 %r
}
define i32 @total.refuted(<4 x i32> %a) {
  %s = shufflevector <4 x i32> %a, <4 x i32> poison, <4 x i32> <i32 2, i32 poison, i32 poison, i32 poison>
  %b = add <4 x i32> %a, %s
  %t = shufflevector <4 x i32> %b, <4 x i32> poison, <4 x i32> <i32 1, i32 poison, i32 poison, i32 poison>
  %c = add <4 x i32> %b, %t
  %r = extractelement <4 x i32> %c, i64 0
  ret i32 %r
}

define <4 x i16> @clamped(<4 x i16> %a) {
  %l = call <4 x i16> @llvm.smax.v4i16(<4 x i16> %a, <4 x i16> splat (i16 -128))
  %h = call <4 x i16> @llvm.smin.v4i16(<4 x i16> %l, <4 x i16> splat (i16 127))
  ret <4 x i16> %h
}
define <4 x i16> @clamped.proved(<4 x i16> %a) {
  %c = icmp sgt <4 x i16> %a, splat (i16 127)
  %h = select <4 x i1> %c, <4 x i16> splat (i16 127), <4 x i16> %a
  %d = icmp slt <4 x i16> %h, splat (i16 -128)
  %r = select <4 x i1> %d, <4 x i16> splat (i16 -128), <4 x i16> %h
  ret <4 x i16> %r
}
define <4 x i16> @clamped.refuted(<4 x i16> %a) {
  %c = icmp ugt <4 x i16> %a, splat (i16 127)
  %h = select <4 x i1> %c, <4 x i16> splat (i16 127), <4 x i16> %a
  %d = icmp slt <4 x i16> %h, splat (i16 -128)
  %r = select <4 x i1> %d, <4 x i16> splat (i16 -128), <4 x i16> %h
  ret <4 x i16> %r
}

define <4 x i8> @saturated(<4 x i8> %a, <4 x i8> %b) {
  %r = call <4 x i8> @llvm.usub.sat.v4i8(<4 x i8> %a, <4 x i8> %b)
  ret <4 x i8> %r
}
define <4 x i8> @saturated.proved(<4 x i8> %a, <4 x i8> %b) {
  %m = call <4 x i8> @llvm.umax.v4i8(<4 x i8> %a, <4 x i8> %b)
  %r = sub nuw <4 x i8> %m, %b
  ret <4 x i8> %r
}
define <4 x i8> @saturated.refuted(<4 x i8> %a, <4 x i8> %b) {
  %m = call <4 x i8> @llvm.umax.v4i8(<4 x i8> %a, <4 x i8> %b)
  %r = sub nsw <4 x i8> %m, %b
  ret <4 x i8> %r
}

; An element at a position that is not known.
define <4 x i8> @put(<4 x i8> %a, i8 %b, i32 noundef %i) {
  %j = and i32 %i, 3
  %r = insertelement <4 x i8> %a, i8 %b, i32 %j
  ret <4 x i8> %r
}
define <4 x i8> @put.proved(<4 x i8> %a, i8 %b, i32 noundef %i) {
  %j = and i32 %i, 3
  %o = insertelement <4 x i32> poison, i32 %j, i64 0
  %s = shufflevector <4 x i32> %o, <4 x i32> poison, <4 x i32> zeroinitializer
  %c = icmp eq <4 x i32> %s, <i32 0, i32 1, i32 2, i32 3>
  %n = insertelement <4 x i8> poison, i8 %b, i64 0
  %t = shufflevector <4 x i8> %n, <4 x i8> poison, <4 x i32> zeroinitializer
  %r = select <4 x i1> %c, <4 x i8> %t, <4 x i8> %a
  ret <4 x i8> %r
}
define <4 x i8> @put.refuted(<4 x i8> %a, i8 %b, i32 noundef %i) {
  %r = insertelement <4 x i8> %a, i8 %b, i32 %i
  ret <4 x i8> %r
}
declare i32 @llvm.bswap.i32(i32)
declare i32 @llvm.vector.reduce.add.v4i32(<4 x i32>)
declare <4 x i16> @llvm.smax.v4i16(<4 x i16>, <4 x i16>)
declare <4 x i16> @llvm.smin.v4i16(<4 x i16>, <4 x i16>)
declare <4 x i8> @llvm.usub.sat.v4i8(<4 x i8>, <4 x i8>)
declare <4 x i8> @llvm.umax.v4i8(<4 x i8>, <4 x i8>)
