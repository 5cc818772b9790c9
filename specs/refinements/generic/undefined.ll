; Immediate undefined behavior, poison and freeze.

define i8 @quotient(i8 %a, i8 noundef %b) {
  %q = udiv i8 %a, %b
  ret i8 %q
}
define i8 @quotient.proved(i8 %a, i8 noundef %b) {
  %z = icmp eq i8 %b, 0
  br i1 %z, label %never, label %divide
never:
  unreachable
divide:
  %q = udiv i8 %a, %b
  ret i8 %q
}

define i8 @guarded(i8 %a, i8 noundef %b) {
entry:
  %z = icmp eq i8 %b, 0
  br i1 %z, label %end, label %divide
divide:
  %q = udiv i8 %a, %b
  br label %end
end:
  %r = phi i8 [ 0, %entry ], [ %q, %divide ]
  ret i8 %r
}
define i8 @guarded.proved(i8 %a, i8 noundef %b) {
  %z = icmp eq i8 %b, 0
  %d = select i1 %z, i8 1, i8 %b
  %q = udiv i8 %a, %d
  %r = select i1 %z, i8 0, i8 %q
  ret i8 %r
}
; A division is not speculated.
define i8 @guarded.refuted(i8 %a, i8 noundef %b) {
  %z = icmp eq i8 %b, 0
  %q = udiv i8 %a, %b
  %r = select i1 %z, i8 0, i8 %q
  ret i8 %r
}

; A branch on poison is undefined, a select of poison is poison.
define i8 @branch(i1 %c, i8 %a, i8 %b) {
entry:
  br i1 %c, label %then, label %end
then:
  br label %end
end:
  %r = phi i8 [ %b, %entry ], [ %a, %then ]
  ret i8 %r
}
define i8 @branch.proved(i1 %c, i8 %a, i8 %b) {
  %r = select i1 %c, i8 %a, i8 %b
  ret i8 %r
}

define i8 @choice(i1 %c, i8 %a, i8 %b) {
  %r = select i1 %c, i8 %a, i8 %b
  ret i8 %r
}
define i8 @choice.refuted(i1 %c, i8 %a, i8 %b) {
entry:
  br i1 %c, label %then, label %end
then:
  br label %end
end:
  %r = phi i8 [ %b, %entry ], [ %a, %then ]
  ret i8 %r
}
define i8 @choice.proved(i1 %c, i8 %a, i8 %b) {
entry:
  %d = freeze i1 %c
  br i1 %d, label %then, label %end
then:
  br label %end
end:
  %r = phi i8 [ %b, %entry ], [ %a, %then ]
  ret i8 %r
}

; `select` hides poison that `and` does not.
define i1 @both(i1 %a, i1 %b) {
  %r = select i1 %a, i1 %b, i1 false
  ret i1 %r
}
define i1 @both.refuted(i1 %a, i1 %b) {
  %r = and i1 %a, %b
  ret i1 %r
}
define i1 @both.proved(i1 %a, i1 %b) {
  %f = freeze i1 %b
  %r = and i1 %a, %f
  ret i1 %r
}

; What is frozen once is one value, twice two.
define i8 @frozen(i8 %a) {
  %f = freeze i8 %a
  %g = freeze i8 %a
  %d = sub i8 %f, %g
  ret i8 %d
}
define i8 @frozen.proved(i8 %a) {
  ret i8 0
}
define i8 @same(i8 %a) {
  %f = freeze i8 %a
  %d = sub i8 %f, %f
  ret i8 %d
}
define i8 @same.proved(i8 %a) {
  ret i8 0
}
define i8 @same.refuted(i8 %a) {
  %f = freeze i8 %a
  %g = freeze i8 %a
  %d = sub i8 %f, %g
  ret i8 %d
}

; A choice that only another value than the first candidates makes possible.
define i8 @any(i8 %a) {
  %f = freeze i8 poison
  ret i8 %f
}
define i8 @any.proved(i8 %a) {
  ret i8 77
}
define i8 @any.refuted(i8 %a) {
  %b = add nuw i8 %a, 1
  ret i8 %b
}

define i8 @bounded(i8 range(i8 0, 16) %a) {
  ret i8 %a
}
define i8 @bounded.proved(i8 %a) {
  %b = and i8 %a, 15
  ret i8 %b
}
define i8 @bounded.refuted(i8 %a) {
  %b = and i8 %a, 7
  ret i8 %b
}

define noundef i8 @returned(i8 %a) {
  ret i8 %a
}
define noundef i8 @returned.proved(i8 %a) {
  %f = freeze i8 %a
  ret i8 %f
}

; What is behind an assumption may rely on it.
define i8 @assumed(i8 %a) {
  %c = icmp ult i8 %a, 16
  call void @llvm.assume(i1 %c)
  ret i8 %a
}
define i8 @assumed.proved(i8 %a) {
  %b = and i8 %a, 15
  ret i8 %b
}
define i8 @assumed.refuted(i8 %a) {
  %b = and i8 %a, 14
  ret i8 %b
}
declare void @llvm.assume(i1)
