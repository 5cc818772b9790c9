; The letter of a hexadecimal digit, which is one look-up in a table that is not in the text.

define <16 x i8> @digit(<16 x i8> %a) {
  %m = and <16 x i8> %a, splat (i8 15)
  %c = icmp ult <16 x i8> %m, splat (i8 10)
  %d = or disjoint <16 x i8> %m, splat (i8 48)
  %e = add nuw nsw <16 x i8> %m, splat (i8 87)
  %r = select <16 x i1> %c, <16 x i8> %d, <16 x i8> %e
  ret <16 x i8> %r
}
