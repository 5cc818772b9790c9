; Sums of absolute differences, and counts of bits by tables, for SSE4.1. Compiled by clang 19 at -O1 and stripped of what says nothing.

define i32 @sad(ptr noalias noundef readonly %0, ptr noalias noundef readonly %1) {
  br label %4

3:
  ret i32 %15

4:
  %5 = phi i64 [ 0, %2 ], [ %16, %4 ]
  %6 = phi i32 [ 0, %2 ], [ %15, %4 ]
  %7 = getelementptr inbounds i8, ptr %0, i64 %5
  %8 = load i8, ptr %7, align 1
  %9 = zext i8 %8 to i32
  %10 = getelementptr inbounds i8, ptr %1, i64 %5
  %11 = load i8, ptr %10, align 1
  %12 = zext i8 %11 to i32
  %13 = sub nsw i32 %9, %12
  %14 = call i32 @llvm.abs.i32(i32 %13, i1 true)
  %15 = add i32 %14, %6
  %16 = add nuw nsw i64 %5, 1
  %17 = icmp eq i64 %16, 16
  br i1 %17, label %3, label %4
}

define i32 @sad.proved(ptr noalias noundef readonly %0, ptr noalias noundef readonly %1) {
  %3 = load <16 x i8>, ptr %0, align 1
  %4 = load <16 x i8>, ptr %1, align 1
  %5 = call <2 x i64> @llvm.x86.sse2.psad.bw(<16 x i8> %3, <16 x i8> %4)
  %6 = bitcast <2 x i64> %5 to <4 x i32>
  %7 = extractelement <4 x i32> %6, i64 0
  %8 = bitcast <2 x i64> %5 to <8 x i16>
  %9 = extractelement <8 x i16> %8, i64 4
  %10 = zext i16 %9 to i32
  %11 = add nsw i32 %7, %10
  ret i32 %11
}

define i32 @sad.refuted(ptr noalias noundef readonly %0, ptr noalias noundef readonly %1) {
  %3 = load <16 x i8>, ptr %0, align 1
  %4 = load <16 x i8>, ptr %1, align 1
  %5 = call <2 x i64> @llvm.x86.sse2.psad.bw(<16 x i8> %3, <16 x i8> %4)
  %6 = bitcast <2 x i64> %5 to <4 x i32>
  %7 = extractelement <4 x i32> %6, i64 0
  %8 = bitcast <2 x i64> %5 to <8 x i16>
  %9 = extractelement <8 x i16> %8, i64 2
  %10 = zext i16 %9 to i32
  %11 = add nsw i32 %7, %10
  ret i32 %11
}

define void @counts(ptr noalias noundef writeonly %0, ptr noundef readonly %1) {
  br label %4

3:
  ret void

4:
  %5 = phi i64 [ 0, %2 ], [ %10, %4 ]
  %6 = getelementptr inbounds i8, ptr %1, i64 %5
  %7 = load i8, ptr %6, align 1
  %8 = call range(i8 0, 9) i8 @llvm.ctpop.i8(i8 %7)
  %9 = getelementptr inbounds i8, ptr %0, i64 %5
  store i8 %8, ptr %9, align 1
  %10 = add nuw nsw i64 %5, 1
  %11 = icmp eq i64 %10, 16
  br i1 %11, label %3, label %4
}

define void @counts.proved(ptr noalias noundef writeonly %0, ptr noundef readonly %1) {
  %3 = load <2 x i64>, ptr %1, align 1
  %4 = bitcast <2 x i64> %3 to <16 x i8>
  %5 = and <16 x i8> %4, <i8 15, i8 15, i8 15, i8 15, i8 15, i8 15, i8 15, i8 15, i8 15, i8 15, i8 15, i8 15, i8 15, i8 15, i8 15, i8 15>
  %6 = call <16 x i8> @llvm.x86.ssse3.pshuf.b.128(<16 x i8> <i8 0, i8 1, i8 1, i8 2, i8 1, i8 2, i8 2, i8 3, i8 1, i8 2, i8 2, i8 3, i8 2, i8 3, i8 3, i8 4>, <16 x i8> %5)
  %7 = bitcast <2 x i64> %3 to <8 x i16>
  %8 = lshr <8 x i16> %7, <i16 4, i16 4, i16 4, i16 4, i16 4, i16 4, i16 4, i16 4>
  %9 = bitcast <8 x i16> %8 to <16 x i8>
  %10 = and <16 x i8> %9, <i8 15, i8 15, i8 15, i8 15, i8 15, i8 15, i8 15, i8 15, i8 15, i8 15, i8 15, i8 15, i8 15, i8 15, i8 15, i8 15>
  %11 = call <16 x i8> @llvm.x86.ssse3.pshuf.b.128(<16 x i8> <i8 0, i8 1, i8 1, i8 2, i8 1, i8 2, i8 2, i8 3, i8 1, i8 2, i8 2, i8 3, i8 2, i8 3, i8 3, i8 4>, <16 x i8> %10)
  %12 = add <16 x i8> %11, %6
  store <16 x i8> %12, ptr %0, align 1
  ret void
}

define i32 @count(ptr noundef readonly %0) {
  br label %3

2:
  ret i32 %10

3:
  %4 = phi i64 [ 0, %1 ], [ %11, %3 ]
  %5 = phi i32 [ 0, %1 ], [ %10, %3 ]
  %6 = getelementptr inbounds i8, ptr %0, i64 %4
  %7 = load i8, ptr %6, align 1
  %8 = call range(i8 0, 9) i8 @llvm.ctpop.i8(i8 %7)
  %9 = zext nneg i8 %8 to i32
  %10 = add i32 %5, %9
  %11 = add nuw nsw i64 %4, 1
  %12 = icmp eq i64 %11, 16
  br i1 %12, label %2, label %3
}

define i32 @count.proved(ptr noundef readonly %0) {
  %2 = load <2 x i64>, ptr %0, align 1
  %3 = bitcast <2 x i64> %2 to <16 x i8>
  %4 = and <16 x i8> %3, <i8 15, i8 15, i8 15, i8 15, i8 15, i8 15, i8 15, i8 15, i8 15, i8 15, i8 15, i8 15, i8 15, i8 15, i8 15, i8 15>
  %5 = call <16 x i8> @llvm.x86.ssse3.pshuf.b.128(<16 x i8> <i8 0, i8 1, i8 1, i8 2, i8 1, i8 2, i8 2, i8 3, i8 1, i8 2, i8 2, i8 3, i8 2, i8 3, i8 3, i8 4>, <16 x i8> %4)
  %6 = bitcast <2 x i64> %2 to <8 x i16>
  %7 = lshr <8 x i16> %6, <i16 4, i16 4, i16 4, i16 4, i16 4, i16 4, i16 4, i16 4>
  %8 = bitcast <8 x i16> %7 to <16 x i8>
  %9 = and <16 x i8> %8, <i8 15, i8 15, i8 15, i8 15, i8 15, i8 15, i8 15, i8 15, i8 15, i8 15, i8 15, i8 15, i8 15, i8 15, i8 15, i8 15>
  %10 = call <16 x i8> @llvm.x86.ssse3.pshuf.b.128(<16 x i8> <i8 0, i8 1, i8 1, i8 2, i8 1, i8 2, i8 2, i8 3, i8 1, i8 2, i8 2, i8 3, i8 2, i8 3, i8 3, i8 4>, <16 x i8> %9)
  %11 = add <16 x i8> %10, %5
  %12 = call <2 x i64> @llvm.x86.sse2.psad.bw(<16 x i8> %11, <16 x i8> zeroinitializer)
  %13 = bitcast <2 x i64> %12 to <4 x i32>
  %14 = extractelement <4 x i32> %13, i64 0
  %15 = bitcast <2 x i64> %12 to <8 x i16>
  %16 = extractelement <8 x i16> %15, i64 4
  %17 = zext i16 %16 to i32
  %18 = add nsw i32 %14, %17
  ret i32 %18
}

define i32 @count.refuted(ptr noundef readonly %0) {
  %2 = load <2 x i64>, ptr %0, align 1
  %3 = bitcast <2 x i64> %2 to <16 x i8>
  %4 = and <16 x i8> %3, <i8 15, i8 15, i8 15, i8 15, i8 15, i8 15, i8 15, i8 15, i8 15, i8 15, i8 15, i8 15, i8 15, i8 15, i8 15, i8 15>
  %5 = call <16 x i8> @llvm.x86.ssse3.pshuf.b.128(<16 x i8> <i8 0, i8 1, i8 1, i8 2, i8 1, i8 2, i8 2, i8 3, i8 1, i8 2, i8 2, i8 3, i8 2, i8 3, i8 3, i8 3>, <16 x i8> %4)
  %6 = bitcast <2 x i64> %2 to <8 x i16>
  %7 = lshr <8 x i16> %6, <i16 4, i16 4, i16 4, i16 4, i16 4, i16 4, i16 4, i16 4>
  %8 = bitcast <8 x i16> %7 to <16 x i8>
  %9 = and <16 x i8> %8, <i8 15, i8 15, i8 15, i8 15, i8 15, i8 15, i8 15, i8 15, i8 15, i8 15, i8 15, i8 15, i8 15, i8 15, i8 15, i8 15>
  %10 = call <16 x i8> @llvm.x86.ssse3.pshuf.b.128(<16 x i8> <i8 0, i8 1, i8 1, i8 2, i8 1, i8 2, i8 2, i8 3, i8 1, i8 2, i8 2, i8 3, i8 2, i8 3, i8 3, i8 3>, <16 x i8> %9)
  %11 = add <16 x i8> %10, %5
  %12 = call <2 x i64> @llvm.x86.sse2.psad.bw(<16 x i8> %11, <16 x i8> zeroinitializer)
  %13 = bitcast <2 x i64> %12 to <4 x i32>
  %14 = extractelement <4 x i32> %13, i64 0
  %15 = bitcast <2 x i64> %12 to <8 x i16>
  %16 = extractelement <8 x i16> %15, i64 4
  %17 = zext i16 %16 to i32
  %18 = add nsw i32 %14, %17
  ret i32 %18
}

declare i32 @llvm.abs.i32(i32, i1 immarg)

declare <2 x i64> @llvm.x86.sse2.psad.bw(<16 x i8>, <16 x i8>)

declare <16 x i8> @llvm.x86.ssse3.pshuf.b.128(<16 x i8>, <16 x i8>)

declare i8 @llvm.ctpop.i8(i8)
