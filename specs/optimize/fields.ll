; Three fields of a color side by side, which a mask picks that is not in the text.

define i32 @fields(i32 %x) {
  %a = lshr i32 %x, 3
  %b = and i32 %a, 31
  %c = lshr i32 %x, 6
  %d = and i32 %c, 992
  %e = or disjoint i32 %b, %d
  %f = lshr i32 %x, 9
  %g = and i32 %f, 31744
  %r = or disjoint i32 %e, %g
  ret i32 %r
}
