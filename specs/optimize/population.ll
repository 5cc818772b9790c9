; The number of ones by adding neighbors of neighbors, in a way that no pattern of LLVM's knows.

define i32 @population(i32 %x) {
  %a = and i32 %x, 1431655765
  %b = lshr i32 %x, 1
  %c = and i32 %b, 1431655765
  %d = add nuw i32 %a, %c
  %e = and i32 %d, 858993459
  %f = lshr i32 %d, 2
  %g = and i32 %f, 858993459
  %h = add nuw nsw i32 %e, %g
  %i = and i32 %h, 117901063
  %j = lshr i32 %h, 4
  %k = and i32 %j, 117901063
  %l = add nuw nsw i32 %i, %k
  %m = and i32 %l, 983055
  %n = lshr i32 %l, 8
  %o = and i32 %n, 983055
  %p = add nuw nsw i32 %m, %o
  %q = and i32 %p, 31
  %r = lshr i32 %p, 16
  %s = add nuw nsw i32 %q, %r
  ret i32 %s
}
