; The program of the guide on memory: six vectors of 16 bytes in, two out.
declare { <16 x i8>, <16 x i8> } @filters(<16 x i8>, <16 x i8>, <16 x i8>, <16 x i8>, <8 x i16>, <16 x i8>)

define void @run(ptr %in, ptr %out) {
  %p1 = getelementptr i8, ptr %in, i64 16
  %p2 = getelementptr i8, ptr %in, i64 32
  %p3 = getelementptr i8, ptr %in, i64 48
  %p4 = getelementptr i8, ptr %in, i64 64
  %p5 = getelementptr i8, ptr %in, i64 80
  %q1 = getelementptr i8, ptr %out, i64 16
  %low = load <16 x i8>, ptr %in, align 1
  %high = load <16 x i8>, ptr %p1, align 1
  %first = load <16 x i8>, ptr %p2, align 1
  %second = load <16 x i8>, ptr %p3, align 1
  %gain = load <8 x i16>, ptr %p4, align 1
  %offset = load <16 x i8>, ptr %p5, align 1
  %both = call { <16 x i8>, <16 x i8> } @filters(<16 x i8> %low, <16 x i8> %high, <16 x i8> %first, <16 x i8> %second, <8 x i16> %gain, <16 x i8> %offset) noinline
  %r0 = extractvalue { <16 x i8>, <16 x i8> } %both, 0
  %r1 = extractvalue { <16 x i8>, <16 x i8> } %both, 1
  store <16 x i8> %r0, ptr %out, align 1
  store <16 x i8> %r1, ptr %q1, align 1
  ret void
}
