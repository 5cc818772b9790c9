; What is behind pointers.

define void @add(ptr noalias %d, ptr %a) {
entry:
  br label %loop
loop:
  %i = phi i64 [ 0, %entry ], [ %next, %loop ]
  %from = getelementptr inbounds i8, ptr %a, i64 %i
  %x = load i8, ptr %from, align 1
  %y = add i8 %x, 1
  %to = getelementptr inbounds i8, ptr %d, i64 %i
  store i8 %y, ptr %to, align 1
  %next = add nuw nsw i64 %i, 1
  %end = icmp eq i64 %next, 8
  br i1 %end, label %exit, label %loop
exit:
  ret void
}

define void @add.proved(ptr %d, ptr %a) {
  %x = load <8 x i8>, ptr %a, align 1
  %y = add <8 x i8> %x, splat (i8 1)
  store <8 x i8> %y, ptr %d, align 1
  ret void
}

define void @add.proved.as_one_integer(ptr noalias nocapture noundef writeonly %0, ptr nocapture noundef readonly %1) {
  %3 = load i64, ptr %1, align 1
  %4 = bitcast i64 %3 to <8 x i8>
  %5 = sub <8 x i8> %4, splat (i8 -1)
  %6 = bitcast <8 x i8> %5 to i64
  store i64 %6, ptr %0, align 1
  ret void
}

define void @add.proved.until_an_address(ptr %d, ptr %a) {
entry:
  %end = getelementptr inbounds nuw i8, ptr %a, i64 8
  br label %loop
loop:
  %p = phi ptr [ %a, %entry ], [ %p.next, %loop ]
  %q = phi ptr [ %d, %entry ], [ %q.next, %loop ]
  %x = load <4 x i8>, ptr %p, align 1
  %y = add <4 x i8> %x, splat (i8 1)
  store <4 x i8> %y, ptr %q, align 1
  %p.next = getelementptr inbounds [4 x i8], ptr %p, i64 1
  %q.next = getelementptr inbounds [2 x [4 x i8]], ptr %q, i64 0, i64 1
  %more = icmp ult ptr %p.next, %end
  br i1 %more, label %loop, label %exit
exit:
  ret void
}

define void @add.refuted.beyond_the_end(ptr %d, ptr %a) {
  %x = load <16 x i8>, ptr %a, align 1
  %y = add <16 x i8> %x, splat (i8 1)
  %z = shufflevector <16 x i8> %y, <16 x i8> poison, <8 x i32> <i32 0, i32 1, i32 2, i32 3, i32 4, i32 5, i32 6, i32 7>
  store <8 x i8> %z, ptr %d, align 1
  ret void
}

define void @add.refuted.one_byte_more(ptr %d, ptr %a) {
  %x = load <8 x i8>, ptr %a, align 1
  %y = add <8 x i8> %x, splat (i8 1)
  store <8 x i8> %y, ptr %d, align 1
  %p = getelementptr i8, ptr %d, i64 8
  store i8 0, ptr %p, align 1
  ret void
}

define void @add.refuted.aligned(ptr %d, ptr %a) {
  %x = load <8 x i8>, ptr %a, align 1
  %y = add <8 x i8> %x, splat (i8 1)
  store <8 x i8> %y, ptr %d, align 8
  ret void
}

define void @add.refuted.half(ptr %d, ptr %a) {
  %x = load <4 x i8>, ptr %a, align 1
  %y = add <4 x i8> %x, splat (i8 1)
  store <4 x i8> %y, ptr %d, align 1
  ret void
}

define void @add.unknown.outside_of_memory(ptr %d, ptr %a) {
  %before = getelementptr inbounds i8, ptr %a, i64 -1
  %again = getelementptr inbounds i8, ptr %before, i64 1
  %x = load <8 x i8>, ptr %again, align 1
  %y = add <8 x i8> %x, splat (i8 1)
  store <8 x i8> %y, ptr %d, align 1
  ret void
}

define i32 @wide(ptr align 4 %a, i1 %c) {
  %x = load i32, ptr %a, align 2
  ret i32 %x
}

define i32 @wide.proved(ptr %a, i1 %c) {
  %x = load i32, ptr %a, align 4
  ret i32 %x
}

define i32 @wide.refuted.aligned_by_eight(ptr %a, i1 %c) {
  %x = load i32, ptr %a, align 8
  ret i32 %x
}

define i32 @wide.proved.of_halves(ptr noundef nonnull dereferenceable(4) %a, i1 %c) {
  %x = load i16, ptr %a, align 2
  %p = getelementptr i16, ptr %a, i32 1
  %y = load i16, ptr %p, align 2
  %low = zext i16 %x to i32
  %high = zext i16 %y to i32
  %up = shl nuw i32 %high, 16
  %r = or disjoint i32 %up, %low
  ret i32 %r
}

define i8 @whether(ptr nonnull %a, i1 noundef %c) {
  br i1 %c, label %then, label %end
then:
  %x = load i8, ptr %a, align 1
  ret i8 %x
end:
  ret i8 0
}

define i8 @whether.refuted.read_first(ptr nonnull %a, i1 noundef %c) {
  %x = load i8, ptr %a, align 1
  %r = select i1 %c, i8 %x, i8 0
  ret i8 %r
}

define i8 @readable(ptr dereferenceable(1) %a, i1 noundef %c) {
  br i1 %c, label %then, label %end
then:
  %x = load i8, ptr %a, align 1
  ret i8 %x
end:
  ret i8 0
}

define i8 @readable.proved(ptr %a, i1 noundef %c) {
  %x = load i8, ptr %a, align 1
  %r = select i1 %c, i8 %x, i8 0
  ret i8 %r
}

define i32 @wide.refuted.needs_more(ptr dereferenceable(8) %a, i1 %c) {
  %x = load i32, ptr %a, align 4
  ret i32 %x
}

define void @down(ptr %d) {
  %p1 = getelementptr i8, ptr %d, i64 1
  %x = load i8, ptr %p1, align 1
  store i8 %x, ptr %d, align 1
  %p2 = getelementptr i8, ptr %d, i64 2
  %y = load i8, ptr %p2, align 1
  store i8 %y, ptr %p1, align 1
  ret void
}

define void @down.proved(ptr %d) {
  %p = getelementptr i8, ptr %d, i64 1
  %x = load <2 x i8>, ptr %p, align 1
  store <2 x i8> %x, ptr %d, align 1
  ret void
}

define void @down.proved.by_memmove(ptr %d) {
  %p = getelementptr i8, ptr %d, i64 1
  call void @llvm.memmove.p0.p0.i64(ptr align 1 %d, ptr align 1 %p, i64 2, i1 false)
  ret void
}

define void @down.unknown.by_memcpy(ptr %d) {
  %p = getelementptr i8, ptr %d, i64 1
  call void @llvm.memcpy.p0.p0.i64(ptr align 1 %d, ptr align 1 %p, i64 2, i1 false)
  ret void
}

define void @up(ptr %d) {
  %p1 = getelementptr i8, ptr %d, i64 1
  %x = load i8, ptr %d, align 1
  store i8 %x, ptr %p1, align 1
  %p2 = getelementptr i8, ptr %d, i64 2
  %y = load i8, ptr %p1, align 1
  store i8 %y, ptr %p2, align 1
  ret void
}

define void @up.refuted(ptr %d) {
  %p = getelementptr i8, ptr %d, i64 1
  %x = load <2 x i8>, ptr %d, align 1
  store <2 x i8> %x, ptr %p, align 1
  ret void
}

define void @clear(ptr %d, i1 noundef %c) {
  br i1 %c, label %then, label %end
then:
  store i32 0, ptr %d, align 1
  br label %end
end:
  ret void
}

define void @clear.proved(ptr %d, i1 noundef %c) {
  br i1 %c, label %then, label %end
then:
  call void @llvm.memset.p0.i64(ptr %d, i8 0, i64 4, i1 false)
  br label %end
end:
  ret void
}

define void @clear.refuted.always_written(ptr %d, i1 noundef %c) {
  %x = load i32, ptr %d, align 1
  %y = select i1 %c, i32 0, i32 %x
  store i32 %y, ptr %d, align 1
  ret void
}

define void @kept(ptr %d, i1 noundef %c) {
  %x = load i32, ptr %d, align 1
  %y = select i1 %c, i32 0, i32 %x
  store i32 %y, ptr %d, align 1
  ret void
}

define void @kept.proved(ptr %d, i1 noundef %c) {
  br i1 %c, label %then, label %end
then:
  store i32 0, ptr %d, align 1
  br label %end
end:
  ret void
}

define i16 @swapped(i16 %x) {
  %r = call i16 @llvm.bswap.i16(i16 %x)
  ret i16 %r
}

define i16 @swapped.proved(i16 %x) {
  %m = alloca [2 x i8], align 2
  call void @llvm.lifetime.start.p0(i64 2, ptr nonnull %m)
  %low = trunc i16 %x to i8
  %up = lshr i16 %x, 8
  %high = trunc i16 %up to i8
  %p = getelementptr inbounds [2 x i8], ptr %m, i64 0, i64 1
  store i8 %high, ptr %m, align 2
  store i8 %low, ptr %p, align 1
  %r = load i16, ptr %m, align 2
  call void @llvm.lifetime.end.p0(i64 2, ptr nonnull %m)
  ret i16 %r
}

define i16 @swapped.unknown.one_byte(i16 %x) {
  %m = alloca [2 x i8], align 2
  %low = trunc i16 %x to i8
  store i8 %low, ptr %m, align 2
  %r = load i16, ptr %m, align 2
  ret i16 %r
}

define void @poison(ptr %d, <2 x i8> %x) {
  %y = add nuw <2 x i8> %x, splat (i8 1)
  store <2 x i8> %y, ptr %d, align 1
  ret void
}

define void @poison.proved(ptr %d, <2 x i8> %x) {
  %y = add <2 x i8> %x, splat (i8 1)
  store <2 x i8> %y, ptr %d, align 1
  ret void
}

define void @poison.refuted.both_with_one(ptr %d, <2 x i8> %x) {
  %y = add nuw <2 x i8> %x, splat (i8 1)
  %w = bitcast <2 x i8> %y to i16
  store i16 %w, ptr %d, align 1
  ret void
}

define i8 @gap(ptr %a, i1 noundef %c) {
  %x = load i8, ptr %a, align 1
  %p = getelementptr i8, ptr %a, i64 2
  %y = load i8, ptr %p, align 1
  %r = sub i8 %x, %y
  ret i8 %r
}

define i8 @gap.proved(ptr %a, i1 noundef %c) {
  %v = load <3 x i8>, ptr %a, align 1
  %x = extractelement <3 x i8> %v, i32 0
  %y = extractelement <3 x i8> %v, i32 2
  %r = sub i8 %x, %y
  ret i8 %r
}

define i8 @gap.refuted.one_more(ptr %a, i1 noundef %c) {
  %v = load <4 x i8>, ptr %a, align 1
  %x = extractelement <4 x i8> %v, i32 0
  %y = extractelement <4 x i8> %v, i32 2
  %r = sub i8 %x, %y
  ret i8 %r
}
