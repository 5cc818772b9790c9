; Flags make results poison: they may be dropped, and added only where they hold.

define i8 @twice(i8 %x) {
  %y = add nsw i8 %x, %x
  ret i8 %y
}
define i8 @twice.proved(i8 %x) {
  %y = shl nsw i8 %x, 1
  ret i8 %y
}
define i8 @twice.refuted(i8 %x) {
  %y = shl nuw nsw i8 %x, 1
  ret i8 %y
}

define i32 @sum(i32 %a, i32 %b) {
  %s = add i32 %a, %b
  ret i32 %s
}
define i32 @sum.proved(i32 %a, i32 %b) {
  %s = add i32 %b, %a
  ret i32 %s
}
define i32 @sum.refuted(i32 %a, i32 %b) {
  %s = add nuw i32 %a, %b
  ret i32 %s
}

define i16 @or(i16 %a, i16 %b) {
  %m = and i16 %b, 255
  %h = shl i16 %a, 8
  %s = add i16 %h, %m
  ret i16 %s
}
define i16 @or.proved(i16 %a, i16 %b) {
  %m = and i16 %b, 255
  %h = shl i16 %a, 8
  %s = or disjoint i16 %h, %m
  ret i16 %s
}
define i16 @or.refuted(i16 %a, i16 %b) {
  %m = and i16 %b, 511
  %h = shl i16 %a, 8
  %s = or disjoint i16 %h, %m
  ret i16 %s
}

define i32 @widened(i8 %a) {
  %m = lshr i8 %a, 1
  %w = sext i8 %m to i32
  ret i32 %w
}
define i32 @widened.proved(i8 %a) {
  %m = lshr i8 %a, 1
  %w = zext nneg i8 %m to i32
  ret i32 %w
}
define i32 @widened.refuted(i8 %a) {
  %w = zext nneg i8 %a to i32
  %m = lshr i32 %w, 1
  ret i32 %m
}

define i8 @narrowed(i16 %a) {
  %m = and i16 %a, 255
  %n = trunc i16 %m to i8
  ret i8 %n
}
define i8 @narrowed.proved(i16 %a) {
  %m = and i16 %a, 255
  %n = trunc nuw i16 %m to i8
  ret i8 %n
}
define i8 @narrowed.refuted(i16 %a) {
  %m = and i16 %a, 255
  %n = trunc nsw i16 %m to i8
  ret i8 %n
}

define i1 @ordered(i8 %a, i8 %b) {
  %x = and i8 %a, 127
  %y = and i8 %b, 127
  %c = icmp slt i8 %x, %y
  ret i1 %c
}
define i1 @ordered.proved(i8 %a, i8 %b) {
  %x = and i8 %a, 127
  %y = and i8 %b, 127
  %c = icmp samesign ult i8 %x, %y
  ret i1 %c
}
define i1 @ordered.refuted(i8 %a, i8 %b) {
  %x = and i8 %a, 127
  %c = icmp ult i8 %x, %b
  ret i1 %c
}

define i32 @halved(i32 %a) {
  %h = sdiv exact i32 %a, 4
  ret i32 %h
}
define i32 @halved.proved(i32 %a) {
  %h = ashr exact i32 %a, 2
  ret i32 %h
}
define i32 @halved.refuted(i32 %a) {
  %h = lshr exact i32 %a, 2
  ret i32 %h
}

; A count of the width or more is poison.
define i8 @shifted(i8 %a, i8 %n) {
  %m = and i8 %n, 7
  %s = shl i8 %a, %m
  ret i8 %s
}
define i8 @shifted.refuted(i8 %a, i8 %n) {
  %s = shl i8 %a, %n
  ret i8 %s
}
