; The upper two bits of every fourth byte, extended: one shift of wider elements.

define <8 x i32> @shift(<32 x i8> %x) {
  %a = shufflevector <32 x i8> %x, <32 x i8> poison, <8 x i32> <i32 3, i32 7, i32 11, i32 15, i32 19, i32 23, i32 27, i32 31>
  %b = lshr <8 x i8> %a, splat (i8 6)
  %c = zext <8 x i8> %b to <8 x i32>
  ret <8 x i32> %c
}
