// A small library in the format of Arm's `arch.asl`, written for Hydride's tests.

enumeration Counting {Counting_Ones, Counting_Zeros,
                      Counting_Signs};

enumeration Access {Access_Vector};

constant integer BYTE = 8;

array bits(2048) _Z[0..31];
array bits(64) _R[0..30];

// Registers
bits(width) V[integer number]
    return _Z[number][width-1:0];

V[integer number] = bits(width) content
    _Z[number] = ZeroExtend(content);

bits(width) X[integer number]
    return if number == 31 then Zeros(width) else _R[number][width-1:0];

X[integer number] = bits(width) content
    if number != 31 then
        _R[number] = ZeroExtend(content);

// Elements
bits(size) Elem[bits(N) whole, integer index, integer size]
    assert (index + 1) * size <= N;
    return whole[index*size +: size];

Elem[bits(N) &whole, integer index, integer size] = bits(size) part
    assert (index + 1) * size <= N;
    whole[index*size +: size] = part;

// Numbers
integer Number(bits(N) pattern, boolean natural)
    return if natural then UInt(pattern) else SInt(pattern);

(bits(N), boolean) Clamped(integer value, integer N, boolean natural)
    integer least = if natural then 0 else -(1 << (N - 1));
    integer greatest = if natural then (1 << N) - 1 else (1 << (N - 1)) - 1;
    integer clamped = Lesser(Greater(value, least), greatest);
    return (clamped[N-1:0], clamped != value);

integer Lesser(integer a, integer b)
    return if a < b then a else b;

integer Greater(integer a, integer b)
    return if a < b then b else a;

integer TopOne(bits(N) pattern)
    for position = N-1 downto 0
        if pattern[position] == '1' then return position;
    return -1;

integer CountOnes(bits(N) pattern)
    integer total = 0;
    for position = 0 to N-1
        if pattern[position] == '1' then
            total = total + 1;
    return total;

bits(N) MovedUp(bits(N) pattern, integer distance)
    if distance == 0 then
        moved = pattern;
    else
        longer = pattern : Zeros(distance);
        moved = longer[N-1:0];
    return moved;

// The whole square root, found by trying: a loop whose end depends on the value.
integer WholeRoot(integer square)
    integer root = 0;
    while (root + 1) * (root + 1) <= square do
        root = root + 1;
    return root;
