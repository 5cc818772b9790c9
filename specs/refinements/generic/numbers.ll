; Values that are one whole number, computed at other widths and in another order, and functions of a byte.

define i32 @differences(<8 x i8> %a, <8 x i8> %b) {
  %x = zext <8 x i8> %a to <8 x i32>
  %y = zext <8 x i8> %b to <8 x i32>
  %d = sub nsw <8 x i32> %x, %y
  %m = call <8 x i32> @llvm.abs.v8i32(<8 x i32> %d, i1 true)
  %r = call i32 @llvm.vector.reduce.add.v8i32(<8 x i32> %m)
  ret i32 %r
}

define i32 @differences.proved(<8 x i8> %a, <8 x i8> %b) {
  %x = zext <8 x i8> %a to <8 x i16>
  %y = zext <8 x i8> %b to <8 x i16>
  %c = sub <8 x i16> %x, %y
  %w = call <8 x i16> @llvm.abs.v8i16(<8 x i16> %c, i1 false)
  %p = shufflevector <8 x i16> %w, <8 x i16> poison, <4 x i32> <i32 0, i32 2, i32 4, i32 6>
  %q = shufflevector <8 x i16> %w, <8 x i16> poison, <4 x i32> <i32 1, i32 3, i32 5, i32 7>
  %s = add <4 x i16> %p, %q
  %t = call i16 @llvm.vector.reduce.add.v4i16(<4 x i16> %s)
  %r = zext i16 %t to i32
  ret i32 %r
}

define i32 @counts(<8 x i8> %a) {
  %c = call <8 x i8> @llvm.ctpop.v8i8(<8 x i8> %a)
  %w = zext <8 x i8> %c to <8 x i32>
  %r = call i32 @llvm.vector.reduce.add.v8i32(<8 x i32> %w)
  ret i32 %r
}

define i32 @counts.proved(<8 x i8> %a) {
  %s = lshr <8 x i8> %a, splat (i8 1)
  %m = and <8 x i8> %s, splat (i8 85)
  %b = sub <8 x i8> %a, %m
  %c = and <8 x i8> %b, splat (i8 51)
  %d = lshr <8 x i8> %b, splat (i8 2)
  %e = and <8 x i8> %d, splat (i8 51)
  %g = add <8 x i8> %c, %e
  %h = lshr <8 x i8> %g, splat (i8 4)
  %i = add <8 x i8> %h, %g
  %n = and <8 x i8> %i, splat (i8 15)
  %t = call i8 @llvm.vector.reduce.add.v8i8(<8 x i8> %n)
  %r = zext i8 %t to i32
  ret i32 %r
}

define i32 @counts.proved.halves(<8 x i8> %a) {
  %p = bitcast <8 x i8> %a to <4 x i16>
  %s = lshr <4 x i16> %p, splat (i16 4)
  %q = bitcast <4 x i16> %s to <8 x i8>
  %h = and <8 x i8> %q, splat (i8 15)
  %l = and <8 x i8> %a, splat (i8 15)
  %i = call <8 x i8> @llvm.ctpop.v8i8(<8 x i8> %h)
  %m = call <8 x i8> @llvm.ctpop.v8i8(<8 x i8> %l)
  %n = add <8 x i8> %i, %m
  %w = zext <8 x i8> %n to <8 x i64>
  %x = sub <8 x i64> splat (i64 16), %w
  %y = sub <8 x i64> splat (i64 16), %x
  %t = call i64 @llvm.vector.reduce.add.v8i64(<8 x i64> %y)
  %r = trunc i64 %t to i32
  ret i32 %r
}

define i32 @counts.refuted(<8 x i8> %a) {
  %c = call <8 x i8> @llvm.ctpop.v8i8(<8 x i8> %a)
  %t = call i8 @llvm.vector.reduce.add.v8i8(<8 x i8> %c)
  %r = sext i8 %t to i32
  %s = and i32 %r, 63
  ret i32 %s
}

declare <8 x i32> @llvm.abs.v8i32(<8 x i32>, i1)

declare i32 @llvm.vector.reduce.add.v8i32(<8 x i32>)

declare <8 x i16> @llvm.abs.v8i16(<8 x i16>, i1)

declare i16 @llvm.vector.reduce.add.v4i16(<4 x i16>)

declare <8 x i8> @llvm.ctpop.v8i8(<8 x i8>)

declare i8 @llvm.vector.reduce.add.v8i8(<8 x i8>)

declare i64 @llvm.vector.reduce.add.v8i64(<8 x i64>)
