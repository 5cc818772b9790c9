; Tricks with bits, and loops of a constant number of iterations.

define i8 @ones(i8 %a) {
  %r = call i8 @llvm.ctpop.i8(i8 %a)
  ret i8 %r
}
define i8 @ones.proved(i8 %a) {
  %s = lshr i8 %a, 1
  %m = and i8 %s, 85
  %p = sub i8 %a, %m
  %t = lshr i8 %p, 2
  %l = and i8 %p, 51
  %h = and i8 %t, 51
  %q = add i8 %l, %h
  %u = lshr i8 %q, 4
  %v = add i8 %q, %u
  %r = and i8 %v, 15
  ret i8 %r
}
define i8 @ones.refuted(i8 %a) {
  %s = lshr i8 %a, 1
  %m = and i8 %s, 85
  %p = sub i8 %a, %m
  %t = lshr i8 %p, 2
  %l = and i8 %p, 51
  %h = and i8 %t, 51
  %q = add i8 %l, %h
  %u = lshr i8 %q, 4
  %v = add i8 %q, %u
  %r = and i8 %v, 7
  ret i8 %r
}
define i8 @ones.proved.loop(i8 %a) {
entry:
  br label %loop
loop:
  %i = phi i32 [ 0, %entry ], [ %j, %loop ]
  %x = phi i8 [ %a, %entry ], [ %y, %loop ]
  %n = phi i8 [ 0, %entry ], [ %m, %loop ]
  %b = and i8 %x, 1
  %m = add i8 %n, %b
  %y = lshr i8 %x, 1
  %j = add nuw nsw i32 %i, 1
  %e = icmp eq i32 %j, 8
  br i1 %e, label %end, label %loop
end:
  ret i8 %m
}
define i8 @ones.refuted.loop(i8 %a) {
entry:
  br label %loop
loop:
  %i = phi i32 [ 0, %entry ], [ %j, %loop ]
  %x = phi i8 [ %a, %entry ], [ %y, %loop ]
  %n = phi i8 [ 0, %entry ], [ %m, %loop ]
  %b = and i8 %x, 1
  %m = add i8 %n, %b
  %y = lshr i8 %x, 1
  %j = add nuw nsw i32 %i, 1
  %e = icmp eq i32 %j, 7
  br i1 %e, label %end, label %loop
end:
  ret i8 %m
}
; The number of iterations depends on the argument.
define i8 @ones.unknown(i8 noundef %a) {
entry:
  br label %loop
loop:
  %x = phi i8 [ %a, %entry ], [ %y, %loop ]
  %y = lshr i8 %x, 1
  %e = icmp eq i8 %y, %x
  br i1 %e, label %end, label %loop
end:
  ret i8 %y
}

define i32 @rotated(i32 %a, i32 %n) {
  %r = call i32 @llvm.fshl.i32(i32 %a, i32 %a, i32 %n)
  ret i32 %r
}
define i32 @rotated.proved(i32 %a, i32 %n) {
  %l = and i32 %n, 31
  %m = sub i32 0, %n
  %k = and i32 %m, 31
  %x = shl i32 %a, %l
  %y = lshr i32 %a, %k
  %r = or i32 %x, %y
  ret i32 %r
}
define i32 @rotated.refuted(i32 %a, i32 %n) {
  %l = and i32 %n, 31
  %k = sub i32 32, %l
  %x = shl i32 %a, %l
  %y = lshr i32 %a, %k
  %r = or i32 %x, %y
  ret i32 %r
}

define i16 @magnitude(i16 %a) {
  %r = call i16 @llvm.abs.i16(i16 %a, i1 false)
  ret i16 %r
}
define i16 @magnitude.proved(i16 %a) {
  %s = ashr i16 %a, 15
  %x = xor i16 %a, %s
  %r = sub i16 %x, %s
  ret i16 %r
}
define i16 @magnitude.refuted(i16 %a) {
  %r = call i16 @llvm.abs.i16(i16 %a, i1 true)
  ret i16 %r
}

define i1 @carried(i8 %a, i8 %b) {
  %p = call { i8, i1 } @llvm.uadd.with.overflow.i8(i8 %a, i8 %b)
  %r = extractvalue { i8, i1 } %p, 1
  ret i1 %r
}
define i1 @carried.proved(i8 %a, i8 %b) {
  %n = xor i8 %a, -1
  %r = icmp ult i8 %n, %b
  ret i1 %r
}
define i1 @carried.refuted(i8 %a, i8 %b) {
  %n = xor i8 %a, -1
  %r = icmp ule i8 %n, %b
  ret i1 %r
}

define i8 @named(i8 %a) {
entry:
  switch i8 %a, label %other [
    i8 0, label %end
    i8 1, label %one
    i8 2, label %end
  ]
one:
  br label %end
other:
  br label %end
end:
  %r = phi i8 [ 5, %entry ], [ 5, %entry ], [ 7, %one ], [ 9, %other ]
  ret i8 %r
}
define i8 @named.proved(i8 %a) {
  %m = and i8 %a, -3
  %z = icmp eq i8 %m, 0
  %o = icmp eq i8 %a, 1
  %x = select i1 %o, i8 7, i8 9
  %r = select i1 %z, i8 5, i8 %x
  ret i8 %r
}
define i8 @named.refuted(i8 %a) {
  %m = and i8 %a, -2
  %z = icmp eq i8 %m, 0
  %o = icmp eq i8 %a, 1
  %x = select i1 %o, i8 7, i8 9
  %r = select i1 %z, i8 5, i8 %x
  ret i8 %r
}
declare i8 @llvm.ctpop.i8(i8)
declare i32 @llvm.fshl.i32(i32, i32, i32)
declare i16 @llvm.abs.i16(i16, i1)
declare { i8, i1 } @llvm.uadd.with.overflow.i8(i8, i8)
