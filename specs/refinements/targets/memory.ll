; Loops over memory as clang 19 compiles them at -O1, and the same by hand for SSE, AVX2 and Neon.

define void @average(ptr noalias %0, ptr %1, ptr %2) {
  br label %5

4:
  ret void

5:
  %6 = phi i64 [ 0, %3 ], [ %18, %5 ]
  %7 = getelementptr inbounds i8, ptr %1, i64 %6
  %8 = load i8, ptr %7, align 1
  %9 = zext i8 %8 to i16
  %10 = getelementptr inbounds i8, ptr %2, i64 %6
  %11 = load i8, ptr %10, align 1
  %12 = zext i8 %11 to i16
  %13 = add nuw nsw i16 %9, 1
  %14 = add nuw nsw i16 %13, %12
  %15 = lshr i16 %14, 1
  %16 = trunc nuw i16 %15 to i8
  %17 = getelementptr inbounds i8, ptr %0, i64 %6
  store i8 %16, ptr %17, align 1
  %18 = add nuw nsw i64 %6, 1
  %19 = icmp eq i64 %18, 32
  br i1 %19, label %4, label %5
}

define void @average.proved.avx2(ptr noalias %0, ptr %1, ptr %2) {
  %4 = load <32 x i8>, ptr %1, align 1
  %5 = load <32 x i8>, ptr %2, align 1
  %6 = call <32 x i8> @llvm.x86.avx2.pavg.b(<32 x i8> %4, <32 x i8> %5)
  store <32 x i8> %6, ptr %0, align 1
  ret void
}

define void @average.refuted.avx2.aligned(ptr noalias %0, ptr %1, ptr %2) {
  %4 = load <32 x i8>, ptr %1, align 1
  %5 = load <32 x i8>, ptr %2, align 1
  %6 = call <32 x i8> @llvm.x86.avx2.pavg.b(<32 x i8> %4, <32 x i8> %5)
  store <32 x i8> %6, ptr %0, align 32
  ret void
}

define void @average.proved.neon(ptr noalias %0, ptr %1, ptr %2) {
  br label %5

4:
  ret void

5:
  %6 = phi i64 [ 0, %3 ], [ %13, %5 ]
  %7 = getelementptr inbounds i8, ptr %1, i64 %6
  %8 = load <16 x i8>, ptr %7, align 1
  %9 = getelementptr inbounds i8, ptr %2, i64 %6
  %10 = load <16 x i8>, ptr %9, align 1
  %11 = call <16 x i8> @llvm.aarch64.neon.urhadd.v16i8(<16 x i8> %8, <16 x i8> %10)
  %12 = getelementptr inbounds i8, ptr %0, i64 %6
  store <16 x i8> %11, ptr %12, align 1
  %13 = add nuw nsw i64 %6, 16
  %14 = icmp eq i64 %6, 0
  br i1 %14, label %5, label %4
}

define void @pack(ptr noalias %0, ptr %1) {
  br label %4

3:
  ret void

4:
  %5 = phi i64 [ 0, %2 ], [ %12, %4 ]
  %6 = getelementptr inbounds i16, ptr %1, i64 %5
  %7 = load i16, ptr %6, align 2
  %8 = call i16 @llvm.smin.i16(i16 %7, i16 255)
  %9 = call i16 @llvm.smax.i16(i16 %8, i16 0)
  %10 = trunc nuw i16 %9 to i8
  %11 = getelementptr inbounds i8, ptr %0, i64 %5
  store i8 %10, ptr %11, align 1
  %12 = add nuw nsw i64 %5, 1
  %13 = icmp eq i64 %12, 32
  br i1 %13, label %3, label %4
}

define void @pack.proved.avx2(ptr noalias %0, ptr %1) {
  %3 = load <16 x i16>, ptr %1, align 1
  %4 = getelementptr inbounds i8, ptr %1, i64 32
  %5 = load <16 x i16>, ptr %4, align 1
  %6 = call <32 x i8> @llvm.x86.avx2.packuswb(<16 x i16> %3, <16 x i16> %5)
  %7 = bitcast <32 x i8> %6 to <4 x i64>
  %8 = shufflevector <4 x i64> %7, <4 x i64> poison, <4 x i32> <i32 0, i32 2, i32 1, i32 3>
  store <4 x i64> %8, ptr %0, align 1
  ret void
}

define void @pack.refuted.avx2.order(ptr noalias %0, ptr %1) {
  %3 = load <16 x i16>, ptr %1, align 1
  %4 = getelementptr inbounds i8, ptr %1, i64 32
  %5 = load <16 x i16>, ptr %4, align 1
  %6 = call <32 x i8> @llvm.x86.avx2.packuswb(<16 x i16> %3, <16 x i16> %5)
  store <32 x i8> %6, ptr %0, align 1
  ret void
}

define void @pack.refuted.neon.truncated(ptr noalias %0, ptr %1) {
  br label %4

3:
  ret void

4:
  %5 = phi i64 [ 0, %2 ], [ %10, %4 ]
  %6 = getelementptr inbounds i16, ptr %1, i64 %5
  %7 = load <8 x i16>, ptr %6, align 2
  %8 = trunc <8 x i16> %7 to <8 x i8>
  %9 = getelementptr inbounds i8, ptr %0, i64 %5
  store <8 x i8> %8, ptr %9, align 1
  %10 = add nuw nsw i64 %5, 8
  %11 = icmp ult i64 %5, 24
  br i1 %11, label %4, label %3
}

define void @q15(ptr noalias %0, ptr %1, ptr %2) {
  br label %5

4:
  ret void

5:
  %6 = phi i64 [ 0, %3 ], [ %18, %5 ]
  %7 = getelementptr inbounds i16, ptr %1, i64 %6
  %8 = load i16, ptr %7, align 2
  %9 = sext i16 %8 to i32
  %10 = getelementptr inbounds i16, ptr %2, i64 %6
  %11 = load i16, ptr %10, align 2
  %12 = sext i16 %11 to i32
  %13 = mul nsw i32 %12, %9
  %14 = add nsw i32 %13, 16384
  %15 = lshr i32 %14, 15
  %16 = trunc i32 %15 to i16
  %17 = getelementptr inbounds i16, ptr %0, i64 %6
  store i16 %16, ptr %17, align 2
  %18 = add nuw nsw i64 %6, 1
  %19 = icmp eq i64 %18, 16
  br i1 %19, label %4, label %5
}

define void @q15.proved.avx2(ptr noalias %0, ptr %1, ptr %2) {
  %4 = load <16 x i16>, ptr %1, align 1
  %5 = load <16 x i16>, ptr %2, align 1
  %6 = call <16 x i16> @llvm.x86.avx2.pmul.hr.sw(<16 x i16> %4, <16 x i16> %5)
  store <16 x i16> %6, ptr %0, align 1
  ret void
}

define void @q15.refuted.neon.saturates(ptr noalias %0, ptr %1, ptr %2) {
  br label %5

4:
  ret void

5:
  %6 = phi i64 [ 0, %3 ], [ %13, %5 ]
  %7 = getelementptr inbounds i16, ptr %1, i64 %6
  %8 = load <8 x i16>, ptr %7, align 2
  %9 = getelementptr inbounds i16, ptr %2, i64 %6
  %10 = load <8 x i16>, ptr %9, align 2
  %11 = call <8 x i16> @llvm.aarch64.neon.sqrdmulh.v8i16(<8 x i16> %8, <8 x i16> %10)
  %12 = getelementptr inbounds i16, ptr %0, i64 %6
  store <8 x i16> %11, ptr %12, align 2
  %13 = add nuw nsw i64 %6, 8
  %14 = icmp eq i64 %6, 0
  br i1 %14, label %5, label %4
}

define void @absolute(ptr %0) {
  br label %3

2:
  ret void

3:
  %4 = phi i64 [ 0, %1 ], [ %8, %3 ]
  %5 = getelementptr inbounds i16, ptr %0, i64 %4
  %6 = load i16, ptr %5, align 2
  %7 = call i16 @llvm.abs.i16(i16 %6, i1 false)
  store i16 %7, ptr %5, align 2
  %8 = add nuw nsw i64 %4, 1
  %9 = icmp eq i64 %8, 16
  br i1 %9, label %2, label %3
}

define void @absolute.proved.avx2(ptr %0) {
  %2 = load <16 x i16>, ptr %0, align 1
  %3 = call <16 x i16> @llvm.abs.v16i16(<16 x i16> %2, i1 false)
  store <16 x i16> %3, ptr %0, align 1
  ret void
}

define void @absolute.refuted.avx2.minus_one(ptr %0) {
  %2 = load <4 x i64>, ptr %0, align 1
  %3 = bitcast <4 x i64> %2 to <16 x i16>
  %4 = ashr <16 x i16> %3, <i16 15, i16 15, i16 15, i16 15, i16 15, i16 15, i16 15, i16 15, i16 15, i16 15, i16 15, i16 15, i16 15, i16 15, i16 15, i16 15>
  %5 = bitcast <16 x i16> %4 to <4 x i64>
  %6 = xor <4 x i64> %2, %5
  store <4 x i64> %6, ptr %0, align 1
  ret void
}

define void @absolute.refuted.neon.saturates(ptr %0) {
  br label %3

2:
  ret void

3:
  %4 = phi i64 [ 0, %1 ], [ %8, %3 ]
  %5 = getelementptr inbounds i16, ptr %0, i64 %4
  %6 = load <8 x i16>, ptr %5, align 2
  %7 = call <8 x i16> @llvm.aarch64.neon.sqabs.v8i16(<8 x i16> %6)
  store <8 x i16> %7, ptr %5, align 2
  %8 = add nuw nsw i64 %4, 8
  %9 = icmp eq i64 %4, 0
  br i1 %9, label %3, label %2
}

define void @tail(ptr noalias %0, ptr %1) {
  br label %4

3:
  ret void

4:
  %5 = phi i64 [ 0, %2 ], [ %10, %4 ]
  %6 = getelementptr inbounds i8, ptr %1, i64 %5
  %7 = load i8, ptr %6, align 1
  %8 = xor i8 %7, -128
  %9 = getelementptr inbounds i8, ptr %0, i64 %5
  store i8 %8, ptr %9, align 1
  %10 = add nuw nsw i64 %5, 1
  %11 = icmp eq i64 %10, 12
  br i1 %11, label %3, label %4
}

define void @tail.proved.sse(ptr noalias %0, ptr %1) {
  %3 = load i64, ptr %1, align 1
  %4 = getelementptr inbounds i8, ptr %1, i64 8
  %5 = load i32, ptr %4, align 1
  %6 = xor i64 %3, -9187201950435737472
  store i64 %6, ptr %0, align 1
  %7 = xor i32 %5, -2139062144
  %8 = getelementptr inbounds i8, ptr %0, i64 8
  store i32 %7, ptr %8, align 1
  ret void
}

define void @tail.refuted.sse.beyond_the_end(ptr noalias %0, ptr %1) {
  %3 = load <2 x i64>, ptr %1, align 1
  %4 = xor <2 x i64> %3, <i64 -9187201950435737472, i64 -9187201950435737472>
  %5 = extractelement <2 x i64> %4, i64 0
  store i64 %5, ptr %0, align 1
  %6 = bitcast <2 x i64> %4 to <4 x i32>
  %7 = extractelement <4 x i32> %6, i64 2
  %8 = getelementptr inbounds i8, ptr %0, i64 8
  store i32 %7, ptr %8, align 4
  ret void
}

define void @transposed(ptr noalias %0, ptr %1) {
  br label %3

3:
  %4 = phi i64 [ 0, %2 ], [ %10, %9 ]
  %5 = shl nsw i64 %4, 4
  %6 = getelementptr inbounds i8, ptr %1, i64 %5
  %7 = getelementptr inbounds i32, ptr %0, i64 %4
  br label %12

8:
  ret void

9:
  %10 = add nuw nsw i64 %4, 1
  %11 = icmp eq i64 %10, 4
  br i1 %11, label %8, label %3

12:
  %13 = phi i64 [ 0, %3 ], [ %18, %12 ]
  %14 = getelementptr inbounds i32, ptr %6, i64 %13
  %15 = load i32, ptr %14, align 4
  %16 = shl nsw i64 %13, 4
  %17 = getelementptr inbounds i8, ptr %7, i64 %16
  store i32 %15, ptr %17, align 4
  %18 = add nuw nsw i64 %13, 1
  %19 = icmp eq i64 %18, 4
  br i1 %19, label %9, label %12
}

define void @transposed.proved.sse(ptr noalias %0, ptr %1) {
  %3 = load <4 x i32>, ptr %1, align 1
  %4 = getelementptr inbounds i8, ptr %1, i64 16
  %5 = load <4 x i32>, ptr %4, align 1
  %6 = getelementptr inbounds i8, ptr %1, i64 32
  %7 = load <4 x i32>, ptr %6, align 1
  %8 = getelementptr inbounds i8, ptr %1, i64 48
  %9 = load <4 x i32>, ptr %8, align 1
  %10 = shufflevector <4 x i32> %3, <4 x i32> %5, <4 x i32> <i32 0, i32 4, i32 1, i32 5>
  %11 = bitcast <4 x i32> %10 to <2 x i64>
  %12 = shufflevector <4 x i32> %7, <4 x i32> %9, <4 x i32> <i32 0, i32 4, i32 1, i32 5>
  %13 = bitcast <4 x i32> %12 to <2 x i64>
  %14 = shufflevector <4 x i32> %3, <4 x i32> %5, <4 x i32> <i32 2, i32 6, i32 3, i32 7>
  %15 = bitcast <4 x i32> %14 to <2 x i64>
  %16 = shufflevector <4 x i32> %7, <4 x i32> %9, <4 x i32> <i32 2, i32 6, i32 3, i32 7>
  %17 = bitcast <4 x i32> %16 to <2 x i64>
  %18 = shufflevector <2 x i64> %11, <2 x i64> %13, <2 x i32> <i32 0, i32 2>
  store <2 x i64> %18, ptr %0, align 1
  %19 = getelementptr inbounds i8, ptr %0, i64 16
  %20 = shufflevector <2 x i64> %11, <2 x i64> %13, <2 x i32> <i32 1, i32 3>
  store <2 x i64> %20, ptr %19, align 1
  %21 = getelementptr inbounds i8, ptr %0, i64 32
  %22 = shufflevector <2 x i64> %15, <2 x i64> %17, <2 x i32> <i32 0, i32 2>
  store <2 x i64> %22, ptr %21, align 1
  %23 = getelementptr inbounds i8, ptr %0, i64 48
  %24 = shufflevector <2 x i64> %15, <2 x i64> %17, <2 x i32> <i32 1, i32 3>
  store <2 x i64> %24, ptr %23, align 1
  ret void
}

define i8 @largest(ptr %0) {
  br label %3

2:
  ret i8 %8

3:
  %4 = phi i64 [ 0, %1 ], [ %9, %3 ]
  %5 = phi i8 [ 0, %1 ], [ %8, %3 ]
  %6 = getelementptr inbounds i8, ptr %0, i64 %4
  %7 = load i8, ptr %6, align 1
  %8 = call i8 @llvm.umax.i8(i8 %7, i8 %5)
  %9 = add nuw nsw i64 %4, 1
  %10 = icmp eq i64 %9, 16
  br i1 %10, label %2, label %3
}

define i8 @largest.proved.sse(ptr %0) {
  %2 = load <16 x i8>, ptr %0, align 1
  %3 = shufflevector <16 x i8> %2, <16 x i8> <i8 0, i8 0, i8 0, i8 0, i8 0, i8 0, i8 0, i8 0, i8 poison, i8 poison, i8 poison, i8 poison, i8 poison, i8 poison, i8 poison, i8 poison>, <16 x i32> <i32 8, i32 9, i32 10, i32 11, i32 12, i32 13, i32 14, i32 15, i32 16, i32 17, i32 18, i32 19, i32 20, i32 21, i32 22, i32 23>
  %4 = call <16 x i8> @llvm.umax.v16i8(<16 x i8> %2, <16 x i8> %3)
  %5 = shufflevector <16 x i8> %4, <16 x i8> <i8 0, i8 0, i8 0, i8 0, i8 poison, i8 poison, i8 poison, i8 poison, i8 poison, i8 poison, i8 poison, i8 poison, i8 poison, i8 poison, i8 poison, i8 poison>, <16 x i32> <i32 4, i32 5, i32 6, i32 7, i32 8, i32 9, i32 10, i32 11, i32 12, i32 13, i32 14, i32 15, i32 16, i32 17, i32 18, i32 19>
  %6 = call <16 x i8> @llvm.umax.v16i8(<16 x i8> %4, <16 x i8> %5)
  %7 = shufflevector <16 x i8> %6, <16 x i8> <i8 0, i8 0, i8 poison, i8 poison, i8 poison, i8 poison, i8 poison, i8 poison, i8 poison, i8 poison, i8 poison, i8 poison, i8 poison, i8 poison, i8 poison, i8 poison>, <16 x i32> <i32 2, i32 3, i32 4, i32 5, i32 6, i32 7, i32 8, i32 9, i32 10, i32 11, i32 12, i32 13, i32 14, i32 15, i32 16, i32 17>
  %8 = call <16 x i8> @llvm.umax.v16i8(<16 x i8> %6, <16 x i8> %7)
  %9 = shufflevector <16 x i8> %8, <16 x i8> <i8 0, i8 poison, i8 poison, i8 poison, i8 poison, i8 poison, i8 poison, i8 poison, i8 poison, i8 poison, i8 poison, i8 poison, i8 poison, i8 poison, i8 poison, i8 poison>, <16 x i32> <i32 1, i32 2, i32 3, i32 4, i32 5, i32 6, i32 7, i32 8, i32 9, i32 10, i32 11, i32 12, i32 13, i32 14, i32 15, i32 16>
  %10 = call <16 x i8> @llvm.umax.v16i8(<16 x i8> %8, <16 x i8> %9)
  %11 = extractelement <16 x i8> %10, i64 0
  ret i8 %11
}

define i8 @largest.refuted.sse.signed(ptr %0) {
  %2 = load <16 x i8>, ptr %0, align 1
  %3 = shufflevector <16 x i8> %2, <16 x i8> <i8 0, i8 0, i8 0, i8 0, i8 0, i8 0, i8 0, i8 0, i8 poison, i8 poison, i8 poison, i8 poison, i8 poison, i8 poison, i8 poison, i8 poison>, <16 x i32> <i32 8, i32 9, i32 10, i32 11, i32 12, i32 13, i32 14, i32 15, i32 16, i32 17, i32 18, i32 19, i32 20, i32 21, i32 22, i32 23>
  %4 = call <16 x i8> @llvm.smax.v16i8(<16 x i8> %2, <16 x i8> %3)
  %5 = shufflevector <16 x i8> %4, <16 x i8> <i8 0, i8 0, i8 0, i8 0, i8 poison, i8 poison, i8 poison, i8 poison, i8 poison, i8 poison, i8 poison, i8 poison, i8 poison, i8 poison, i8 poison, i8 poison>, <16 x i32> <i32 4, i32 5, i32 6, i32 7, i32 8, i32 9, i32 10, i32 11, i32 12, i32 13, i32 14, i32 15, i32 16, i32 17, i32 18, i32 19>
  %6 = call <16 x i8> @llvm.smax.v16i8(<16 x i8> %4, <16 x i8> %5)
  %7 = shufflevector <16 x i8> %6, <16 x i8> <i8 0, i8 0, i8 poison, i8 poison, i8 poison, i8 poison, i8 poison, i8 poison, i8 poison, i8 poison, i8 poison, i8 poison, i8 poison, i8 poison, i8 poison, i8 poison>, <16 x i32> <i32 2, i32 3, i32 4, i32 5, i32 6, i32 7, i32 8, i32 9, i32 10, i32 11, i32 12, i32 13, i32 14, i32 15, i32 16, i32 17>
  %8 = call <16 x i8> @llvm.smax.v16i8(<16 x i8> %6, <16 x i8> %7)
  %9 = shufflevector <16 x i8> %8, <16 x i8> <i8 0, i8 poison, i8 poison, i8 poison, i8 poison, i8 poison, i8 poison, i8 poison, i8 poison, i8 poison, i8 poison, i8 poison, i8 poison, i8 poison, i8 poison, i8 poison>, <16 x i32> <i32 1, i32 2, i32 3, i32 4, i32 5, i32 6, i32 7, i32 8, i32 9, i32 10, i32 11, i32 12, i32 13, i32 14, i32 15, i32 16>
  %10 = call <16 x i8> @llvm.smax.v16i8(<16 x i8> %8, <16 x i8> %9)
  %11 = extractelement <16 x i8> %10, i64 0
  ret i8 %11
}

define i8 @largest.proved.neon(ptr %0) {
  %2 = load <16 x i8>, ptr %0, align 1
  %3 = call i32 @llvm.aarch64.neon.umaxv.i32.v16i8(<16 x i8> %2)
  %4 = trunc i32 %3 to i8
  ret i8 %4
}

define i32 @dot(ptr %0, ptr %1) {
  br label %4

3:
  ret i32 %14

4:
  %5 = phi i64 [ 0, %2 ], [ %15, %4 ]
  %6 = phi i32 [ 0, %2 ], [ %14, %4 ]
  %7 = getelementptr inbounds i16, ptr %0, i64 %5
  %8 = load i16, ptr %7, align 2
  %9 = sext i16 %8 to i32
  %10 = getelementptr inbounds i16, ptr %1, i64 %5
  %11 = load i16, ptr %10, align 2
  %12 = sext i16 %11 to i32
  %13 = mul nsw i32 %12, %9
  %14 = add i32 %13, %6
  %15 = add nuw nsw i64 %5, 1
  %16 = icmp eq i64 %15, 16
  br i1 %16, label %3, label %4
}

define i32 @dot.proved.avx2(ptr %0, ptr %1) {
  %3 = load <16 x i16>, ptr %0, align 1
  %4 = load <16 x i16>, ptr %1, align 1
  %5 = call <8 x i32> @llvm.x86.avx2.pmadd.wd(<16 x i16> %3, <16 x i16> %4)
  %6 = shufflevector <8 x i32> %5, <8 x i32> poison, <4 x i32> <i32 0, i32 1, i32 2, i32 3>
  %7 = shufflevector <8 x i32> %5, <8 x i32> poison, <4 x i32> <i32 4, i32 5, i32 6, i32 7>
  %8 = add <4 x i32> %6, %7
  %9 = shufflevector <4 x i32> %8, <4 x i32> poison, <4 x i32> <i32 2, i32 3, i32 0, i32 1>
  %10 = add <4 x i32> %9, %8
  %11 = shufflevector <4 x i32> %10, <4 x i32> poison, <4 x i32> <i32 1, i32 poison, i32 poison, i32 poison>
  %12 = add <4 x i32> %11, %10
  %13 = extractelement <4 x i32> %12, i64 0
  ret i32 %13
}

define i32 @dot.proved.neon(ptr %0, ptr %1) {
  br label %5

3:
  %4 = call i32 @llvm.aarch64.neon.saddv.i32.v4i32(<4 x i32> %19)
  ret i32 %4

5:
  %6 = phi i64 [ 0, %2 ], [ %20, %5 ]
  %7 = phi <4 x i32> [ zeroinitializer, %2 ], [ %19, %5 ]
  %8 = getelementptr inbounds i16, ptr %0, i64 %6
  %9 = load <8 x i16>, ptr %8, align 2
  %10 = getelementptr inbounds i16, ptr %1, i64 %6
  %11 = load <8 x i16>, ptr %10, align 2
  %12 = shufflevector <8 x i16> %9, <8 x i16> poison, <4 x i32> <i32 0, i32 1, i32 2, i32 3>
  %13 = shufflevector <8 x i16> %11, <8 x i16> poison, <4 x i32> <i32 0, i32 1, i32 2, i32 3>
  %14 = call <4 x i32> @llvm.aarch64.neon.smull.v4i32(<4 x i16> %12, <4 x i16> %13)
  %15 = add <4 x i32> %14, %7
  %16 = shufflevector <8 x i16> %9, <8 x i16> poison, <4 x i32> <i32 4, i32 5, i32 6, i32 7>
  %17 = shufflevector <8 x i16> %11, <8 x i16> poison, <4 x i32> <i32 4, i32 5, i32 6, i32 7>
  %18 = call <4 x i32> @llvm.aarch64.neon.smull.v4i32(<4 x i16> %16, <4 x i16> %17)
  %19 = add <4 x i32> %15, %18
  %20 = add nuw nsw i64 %6, 8
  %21 = icmp eq i64 %6, 0
  br i1 %21, label %5, label %3
}
