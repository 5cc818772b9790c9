; A place in a ring of 256, of a place and a number of steps that are assumed to be below 256.

define i32 @ring(i32 %at, i32 %by) {
  %a = icmp ult i32 %at, 256
  call void @llvm.assume(i1 %a)
  %b = icmp ult i32 %by, 256
  call void @llvm.assume(i1 %b)
  %n = add nuw nsw i32 %at, %by
  %g = icmp ugt i32 %n, 255
  %w = add nsw i32 %n, -256
  %r = select i1 %g, i32 %w, i32 %n
  ret i32 %r
}

declare void @llvm.assume(i1)
