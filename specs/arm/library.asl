// The functions that Arm's operations call and neither the operations nor the intrinsics' document define:
// registers and elements, saturation, bit counts, reduction, estimates and ciphers. They serve where there is no
// `arch.asl`, which has Arm's own. Written for Hydride, from what the instructions are documented to do.

enumeration ReduceOp {ReduceOp_ADD, ReduceOp_FADD, ReduceOp_FMIN, ReduceOp_FMAX, ReduceOp_FMINNUM, ReduceOp_FMAXNUM};

enumeration FPMaxMinOp {FPMaxMinOp_MAX, FPMaxMinOp_MIN, FPMaxMinOp_MAXNUM, FPMaxMinOp_MINNUM};

enumeration CompareOp {CompareOp_GT, CompareOp_GE, CompareOp_EQ, CompareOp_LE, CompareOp_LT};

enumeration LogicalOp {LogicalOp_AND, LogicalOp_EOR, LogicalOp_ORR};

enumeration CountOp {CountOp_CLZ, CountOp_CLS, CountOp_CNT};

enumeration MoveWideOp {MoveWideOp_N, MoveWideOp_Z, MoveWideOp_K};

enumeration ImmediateOp {ImmediateOp_MOVI, ImmediateOp_MVNI, ImmediateOp_ORR, ImmediateOp_BIC};

enumeration VBitOp {VBitOp_VBIF, VBitOp_VBIT, VBitOp_VBSL, VBitOp_VEOR};

enumeration MemOp {MemOp_LOAD, MemOp_STORE, MemOp_PREFETCH};

array bits(2048) _Z[0..31];
array bits(64) _R[0..31];

// Registers

bits(width) V[integer number]
    return _Z[number][width-1:0];

V[integer number] = bits(width) content
    _Z[number] = ZeroExtend(content);

bits(width) Vpart[integer number, integer part]
    if part == 0 then
        return _Z[number][width-1:0];
    else
        return _Z[number][width +: width];

Vpart[integer number, integer part] = bits(width) content
    if part == 0 then
        _Z[number] = ZeroExtend(content);
    else
        _Z[number] = ZeroExtend(content : _Z[number][63:0]);

bits(width) X[integer number]
    return _R[number][width-1:0];

X[integer number] = bits(width) content
    _R[number] = ZeroExtend(content);

// Elements

bits(size) Elem[bits(N) whole, integer index, integer size]
    return whole[index*size +: size];

Elem[bits(N) &whole, integer index, integer size] = bits(size) element
    whole[index*size +: size] = element;

// Numbers

integer Int(bits(N) pattern, boolean unsigned)
    return if unsigned then UInt(pattern) else SInt(pattern);

integer Abs(integer value)
    return if value < 0 then -value else value;

integer Min(integer one, integer other)
    return if one < other then one else other;

integer Max(integer one, integer other)
    return if one < other then other else one;

(bits(N), boolean) SignedSatQ(integer value, integer N)
    integer least = -(1 << (N - 1));
    integer greatest = (1 << (N - 1)) - 1;
    integer nearest = Min(Max(value, least), greatest);
    return (nearest[N-1:0], nearest != value);

(bits(N), boolean) UnsignedSatQ(integer value, integer N)
    integer greatest = (1 << N) - 1;
    integer nearest = Min(Max(value, 0), greatest);
    return (nearest[N-1:0], nearest != value);

(bits(N), boolean) SatQ(integer value, integer N, boolean unsigned)
    if unsigned then
        (pattern, clipped) = UnsignedSatQ(value, N);
    else
        (pattern, clipped) = SignedSatQ(value, N);
    return (pattern, clipped);

// Bits

bits(N) NOT(bits(N) pattern)
    return pattern EOR Ones(N);

bits(N) EOR(bits(N) one, bits(N) other)
    return one EOR other;

bits(N) OR(bits(N) one, bits(N) other)
    return one OR other;

bits(N) LSL(bits(N) pattern, integer distance)
    integer moved = UInt(pattern) << distance;
    return moved[N-1:0];

bits(N) LSR(bits(N) pattern, integer distance)
    integer moved = UInt(pattern) >> distance;
    return moved[N-1:0];

bits(N) ROR(bits(N) pattern, integer distance)
    bits(2*N) twice = pattern : pattern;
    return twice[distance +: N];

bits(N) ROL(bits(N) pattern, integer distance)
    bits(2*N) twice = pattern : pattern;
    return twice[N - distance +: N];

integer HighestSetBit(bits(N) pattern)
    for position = N-1 downto 0
        if pattern[position] == '1' then return position;
    return -1;

integer CountLeadingZeroBits(bits(N) pattern)
    return N - 1 - HighestSetBit(pattern);

integer CountLeadingSignBits(bits(N) pattern)
    return CountLeadingZeroBits(pattern[N-1:1] EOR pattern[N-2:0]);

integer BitCount(bits(N) pattern)
    integer count = 0;
    for position = 0 to N-1
        if pattern[position] == '1' then
            count = count + 1;
    return count;

bits(N) BitReverse(bits(N) pattern)
    bits(N) turned;
    for position = 0 to N-1
        turned[N-1-position] = pattern[position];
    return turned;

bits(N) Reduce(ReduceOp op, bits(M) whole, integer N)
    if op == ReduceOp_ADD then
        integer sum = 0;
        for e = 0 to (M DIV N) - 1
            sum = sum + UInt(Elem[whole, e, N]);
        return sum[N-1:0];
    if M == N then
        return whole[N-1:0];
    // Numbers in a tree: each half by itself.
    integer half = M DIV 2;
    bits(N) low = Reduce(op, whole[half-1:0], N);
    bits(N) high = Reduce(op, whole[M-1:half], N);
    bits(N) result;
    case op of
        when ReduceOp_FADD result = FPAdd(low, high, FPCR);
        when ReduceOp_FMIN result = FPMin(low, high, FPCR);
        when ReduceOp_FMAX result = FPMax(low, high, FPCR);
        when ReduceOp_FMINNUM result = FPMinNum(low, high, FPCR);
        when ReduceOp_FMAXNUM result = FPMaxNum(low, high, FPCR);
    return result;

// Polynomials over one bit

bits(M+N) PolynomialMult(bits(M) one, bits(N) other)
    bits(M+N) product = Zeros(M+N);
    bits(M+N) wide = ZeroExtend(other, M+N);
    for position = 0 to M-1
        if one[position] == '1' then
            product = product EOR LSL(wide, position);
    return product;

bits(32) Poly32Mod2(bits(N) dividend, bits(32) divisor)
    bits(N) rest = dividend;
    for position = N-1 downto 32
        if rest[position] == '1' then
            rest[position-1:0] = rest[position-1:0] EOR (divisor : Zeros(position-32));
    return rest[31:0];

bits(8) ByteProduct(bits(8) one, bits(8) other, bits(9) modulus)
    bits(16) rest = PolynomialMult(one, other);
    for position = 15 downto 8
        if rest[position] == '1' then
            rest = rest EOR LSL(ZeroExtend(modulus, 16), position - 8);
    return rest[7:0];

bits(8) ByteInverse(bits(8) value, bits(9) modulus)
    // The 254th power: the square of the 127th, which is made of squares.
    bits(8) power = value;
    for step = 1 to 6
        power = ByteProduct(ByteProduct(power, power, modulus), value, modulus);
    return ByteProduct(power, power, modulus);

// Matrices of bytes: two rows of eight times two columns of eight

bits(N) MatMulAdd(bits(N) addend, bits(N) one, bits(N) other, boolean one_unsigned, boolean other_unsigned)
    bits(N) result;
    for row = 0 to 1
        for column = 0 to 1
            bits(32) sum = Elem[addend, 2*row + column, 32];
            for k = 0 to 7
                integer left = Int(Elem[one, 8*row + k, 8], one_unsigned);
                integer right = Int(Elem[other, 8*column + k, 8], other_unsigned);
                sum = sum + left * right;
            Elem[result, 2*row + column, 32] = sum;
    return result;

// Estimates, of nine bits

bits(32) UnsignedRecipEstimate(bits(32) operand)
    bits(32) result = Ones(32);
    if operand[31] == '1' then
        integer estimate = ReciprocalEstimate(UInt(operand[31:23]));
        result = estimate[8:0] : Zeros(23);
    return result;

bits(32) UnsignedRSqrtEstimate(bits(32) operand)
    bits(32) result = Ones(32);
    if operand[31:30] != '00' then
        integer estimate = ReciprocalRootEstimate(UInt(operand[31:23]));
        result = estimate[8:0] : Zeros(23);
    return result;

// AES: a state of four columns of four bytes

integer ForwardByte(integer index)
    assert index < 256;
    bits(8) inverse = ByteInverse(index[7:0], '100011011');
    bits(8) turned = inverse EOR ROL(inverse, 1) EOR ROL(inverse, 2) EOR ROL(inverse, 3) EOR ROL(inverse, 4);
    return UInt(turned EOR '01100011');

integer InverseByte(integer index)
    assert index < 256;
    bits(8) value = index[7:0];
    bits(8) turned = ROL(value, 1) EOR ROL(value, 3) EOR ROL(value, 6) EOR '00000101';
    return UInt(ByteInverse(turned, '100011011'));

bits(128) AESSubBytes(bits(128) state)
    bits(128) result;
    for i = 0 to 15
        integer byte = ForwardByte(UInt(Elem[state, i, 8]));
        Elem[result, i, 8] = byte[7:0];
    return result;

bits(128) AESInvSubBytes(bits(128) state)
    bits(128) result;
    for i = 0 to 15
        integer byte = InverseByte(UInt(Elem[state, i, 8]));
        Elem[result, i, 8] = byte[7:0];
    return result;

bits(128) AESShiftRows(bits(128) state)
    bits(128) result;
    for column = 0 to 3
        for row = 0 to 3
            Elem[result, 4*column + row, 8] = Elem[state, 4*((column + row) MOD 4) + row, 8];
    return result;

bits(128) AESInvShiftRows(bits(128) state)
    bits(128) result;
    for column = 0 to 3
        for row = 0 to 3
            Elem[result, 4*((column + row) MOD 4) + row, 8] = Elem[state, 4*column + row, 8];
    return result;

// Each column times a polynomial whose coefficients are bytes, the lowest first.
bits(128) MixColumns(bits(128) state, bits(32) factors)
    bits(128) result;
    for column = 0 to 3
        for row = 0 to 3
            bits(8) sum = Zeros(8);
            for k = 0 to 3
                bits(8) value = Elem[state, 4*column + k, 8];
                sum = sum EOR ByteProduct(Elem[factors, (row - k) MOD 4, 8], value, '100011011');
            Elem[result, 4*column + row, 8] = sum;
    return result;

bits(128) AESMixColumns(bits(128) state)
    return MixColumns(state, 0x03010102[31:0]);

bits(128) AESInvMixColumns(bits(128) state)
    return MixColumns(state, 0x0B0D090E[31:0]);

// SHA

bits(32) SHAchoose(bits(32) choice, bits(32) one, bits(32) other)
    return (choice AND one) OR (NOT(choice) AND other);

bits(32) SHAparity(bits(32) a, bits(32) b, bits(32) c)
    return a EOR b EOR c;

bits(32) SHAmajority(bits(32) a, bits(32) b, bits(32) c)
    return (a AND b) OR ((a OR b) AND c);

// Four rounds on the halves abcd and efgh of the state; one of the halves is the result.
bits(128) SHA256hash(bits(128) low, bits(128) high, bits(128) words, boolean first)
    bits(128) abcd = low;
    bits(128) efgh = high;
    for e = 0 to 3
        bits(32) a = Elem[abcd, 0, 32];
        bits(32) g = Elem[efgh, 0, 32];
        bits(32) sigma = ROR(g, 6) EOR ROR(g, 11) EOR ROR(g, 25);
        bits(32) chosen = SHAchoose(g, Elem[efgh, 1, 32], Elem[efgh, 2, 32]);
        bits(32) step = Elem[efgh, 3, 32] + sigma + chosen + Elem[words, e, 32];
        bits(32) into = step + Elem[abcd, 3, 32];
        bits(32) majority = SHAmajority(a, Elem[abcd, 1, 32], Elem[abcd, 2, 32]);
        bits(32) out = step + (ROR(a, 2) EOR ROR(a, 13) EOR ROR(a, 22)) + majority;
        abcd = abcd[95:0] : out;
        efgh = efgh[95:0] : into;
    return if first then abcd else efgh;

// SM4

integer CipherByte(integer index)
    assert index < 256;
    bits(8) value = index[7:0];
    bits(8) before = CipherTurn(value) EOR '11010011';
    bits(8) after = CipherTurn(ByteInverse(before, '111110101')) EOR '11010011';
    return UInt(after);

bits(8) CipherTurn(bits(8) value)
    bits(8) result;
    for position = 0 to 7
        bits(8) row = ROL('10100111', position);
        result[position] = if BitCount(value AND row) MOD 2 == 1 then '1' else '0';
    return result;

bits(8) Sbox(bits(8) value)
    integer byte = CipherByte(UInt(value));
    return byte[7:0];
