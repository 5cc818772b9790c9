// Functions on floating-point numbers that stand for Arm's of the same names, whose bodies compute with reals or with
// records. These use bits and the functions that Hydride has as operators: FPAdd, FPSub, FPMul, FPDiv, FPSqrt,
// FPMulAdd, FPMin, FPMax, FPRoundInt, FPConvert, FPConvertBF, FPToFixed, FixedToFP and the comparisons; these take a
// rounding as a further argument. The control register has its reset value. Written for Hydride, from what the
// instructions are documented to do.

enumeration FPRounding {FPRounding_TIEEVEN, FPRounding_POSINF, FPRounding_NEGINF, FPRounding_ZERO, FPRounding_TIEAWAY,
    FPRounding_ODD};

// Formats

integer ExponentWidth(integer N)
    return if N == 16 then 5 elsif N == 32 then 8 else 11;

bits(N) FPZero(bit sign)
    return sign : Zeros(N-1);

bits(N) FPInfinity(bit sign)
    integer E = ExponentWidth(N);
    return sign : Ones(E) : Zeros(N-1-E);

bits(N) FPDefaultNaN()
    integer E = ExponentWidth(N);
    return '0' : Ones(E+1) : Zeros(N-2-E);

bits(N) FPMaxNormal(bit sign)
    integer E = ExponentWidth(N);
    return sign : Ones(E-1) : '0' : Ones(N-1-E);

// A power of two.
bits(N) FPPower(integer power, integer N)
    integer E = ExponentWidth(N);
    integer biased = power + (1 << (E-1)) - 1;
    return '0' : biased[E-1:0] : Zeros(N-1-E);

bits(N) FPOne(bit sign)
    bits(N) one = FPPower(0, N);
    return sign : one[N-2:0];

bits(N) FPTwo(bit sign)
    bits(N) two = FPPower(1, N);
    return sign : two[N-2:0];

bits(N) FPPointFive(bit sign)
    bits(N) half = FPPower(-1, N);
    return sign : half[N-2:0];

bits(N) FPOnePointFive(bit sign)
    integer E = ExponentWidth(N);
    return sign : '0' : Ones(E-1) : '1' : Zeros(N-2-E);

bits(N) FPThree(bit sign)
    integer E = ExponentWidth(N);
    return sign : '1' : Zeros(E-1) : '1' : Zeros(N-2-E);

// Kinds of numbers

boolean IsFloatZero(bits(N) op)
    return IsZero(op[N-2:0]);

boolean IsFloatInfinite(bits(N) op)
    return op[N-2:0] == (Ones(ExponentWidth(N)) : Zeros(N-1-ExponentWidth(N)));

boolean IsFloatNaN(bits(N) op)
    return FPCompareUN(op, op, FPCR);

boolean IsFloatQuiet(bits(N) op)
    return IsOnes(op[N-2:N-2-ExponentWidth(N)]);

boolean IsFloatSignaling(bits(N) op)
    return IsFloatNaN(op) && !IsFloatQuiet(op);

// The NaN with the quiet bit set.
bits(N) QuietNaN(bits(N) op)
    integer F = N - 1 - ExponentWidth(N);
    bits(N) quiet = Zeros(N-F) : '1' : Zeros(F-1);
    return op OR quiet;

// Signs

bits(N) FPAbs(bits(N) op)
    return '0' : op[N-2:0];

bits(N) FPNeg(bits(N) op)
    return NOT(op[N-1]) : op[N-2:0];

// Extrema where one quiet NaN counts as missing

bits(N) FPMaxNum(bits(N) op1, bits(N) op2, FPCRType fpcr)
    boolean quiet1 = IsFloatQuiet(op1);
    boolean quiet2 = IsFloatQuiet(op2);
    bits(N) least = FPInfinity('1');
    bits(N) first = if quiet1 && !quiet2 then least else op1;
    bits(N) second = if quiet2 && !quiet1 then least else op2;
    return FPMax(first, second, fpcr);

bits(N) FPMinNum(bits(N) op1, bits(N) op2, FPCRType fpcr)
    boolean quiet1 = IsFloatQuiet(op1);
    boolean quiet2 = IsFloatQuiet(op2);
    bits(N) greatest = FPInfinity('0');
    bits(N) first = if quiet1 && !quiet2 then greatest else op1;
    bits(N) second = if quiet2 && !quiet1 then greatest else op2;
    return FPMin(first, second, fpcr);

// Products

boolean IsInfinityTimesZero(bits(N) op1, bits(N) op2)
    return (IsFloatInfinite(op1) && IsFloatZero(op2)) || (IsFloatZero(op1) && IsFloatInfinite(op2));

bits(N) FPMulX(bits(N) op1, bits(N) op2, FPCRType fpcr)
    bits(N) two = FPTwo(op1[N-1] EOR op2[N-1]);
    return if IsInfinityTimesZero(op1, op2) then two else FPMul(op1, op2, fpcr);

// The product of numbers of half the width; a widened NaN would not be a signaling one any more.
bits(N) FPMulAddH(bits(N) addend, bits(M) op1, bits(M) op2, FPCRType fpcr)
    bits(N) wide1 = FPConvert(op1, fpcr);
    bits(N) wide2 = FPConvert(op2, fpcr);
    boolean first = IsFloatSignaling(addend);
    bits(N) result = FPMulAdd(addend, wide1, wide2, fpcr);
    if !first && IsFloatSignaling(op1) then
        result = wide1;
    elsif !first && IsFloatSignaling(op2) then
        result = wide2;
    return result;

// Rounding to an integer that fits into a width

bits(N) FPRoundIntN(bits(N) op, FPCRType fpcr, FPRounding rounding, integer intsize)
    bits(N) rounded = FPRoundInt(op, fpcr, rounding, FALSE);
    bits(N) bound = FPPower(intsize - 1, N);
    bits(N) least = FPNeg(bound);
    boolean fits = FPCompareGT(bound, rounded, fpcr) && FPCompareGE(rounded, least, fpcr);
    return if fits then rounded else least;

// Estimates and steps of the Newton iterations

integer ReciprocalEstimate(integer number)
    return ((1 << 19) DIV (2 * number + 1) + 1) DIV 2;

// The greatest root b with number * (b + 1)^2 below 2^28, rounded to nine bits.
integer ReciprocalRootEstimate(integer number)
    integer middle;
    if number < 256 then
        middle = 2 * number + 1;
    else
        middle = (number >> 1) << 1;
        middle = 2 * (middle + 1);
    integer root = 512;
    while middle * (root + 1) * (root + 1) < (1 << 28) do
        root = root + 1;
    return (root + 1) DIV 2;

// The result of a subnormal number of which the two highest bits are zero would overflow.
bits(N) FPRecipEstimate(bits(N) operand, FPCRType fpcr)
    integer E = ExponentWidth(N);
    integer F = N - 1 - E;
    bits(1) sign = operand[N-1];
    bits(F) fraction = operand[F-1:0];
    bits(E) biased = operand[N-2:F];
    integer exponent = UInt(biased);
    // A subnormal number is made normal.
    if IsZero(biased) then
        if fraction[F-1] == '1' then
            fraction = fraction[F-2:0] : '0';
        else
            fraction = fraction[F-3:0] : '00';
            exponent = -1;
    integer estimate = ReciprocalEstimate(256 + UInt(fraction[F-1:F-8]));
    integer result_exponent = (1 << E) - 3 - exponent;
    bits(F+1) significand = '1' : estimate[7:0] : Zeros(F-8);
    bits(N) result = sign : result_exponent[E-1:0] : significand[F-1:0];
    if result_exponent == 0 then
        result = sign : Zeros(E) : significand[F:1];
    elsif result_exponent == -1 then
        result = sign : Zeros(E) : '0' : significand[F:2];
    if IsFloatNaN(operand) then
        result = QuietNaN(operand);
    elsif IsFloatInfinite(operand) then
        result = FPZero(sign);
    elsif UInt(operand[N-2:0]) < (1 << (F-2)) then
        result = FPInfinity(sign);
    return result;

bits(N) FPRSqrtEstimate(bits(N) operand, FPCRType fpcr)
    integer E = ExponentWidth(N);
    integer F = N - 1 - E;
    bits(F) fraction = operand[F-1:0];
    bits(E) biased = operand[N-2:F];
    integer exponent = UInt(biased);
    if IsZero(biased) then
        integer zeros = CountLeadingZeroBits(fraction);
        integer moved = UInt(fraction) << (zeros + 1);
        fraction = moved[F-1:0];
        exponent = -zeros;
    integer scaled = if exponent[0] == '0' then 256 + UInt(fraction[F-1:F-8]) else 128 + UInt(fraction[F-1:F-7]);
    integer result_exponent = (3 * (1 << (E-1)) - 4 - exponent) DIV 2;
    integer estimate = ReciprocalRootEstimate(scaled);
    bits(N) result = '0' : result_exponent[E-1:0] : estimate[7:0] : Zeros(F-8);
    if IsFloatNaN(operand) then
        result = QuietNaN(operand);
    elsif IsFloatZero(operand) then
        result = FPInfinity(operand[N-1]);
    elsif operand[N-1] == '1' then
        result = FPDefaultNaN();
    elsif IsFloatInfinite(operand) then
        result = FPZero('0');
    return result;

// The step of the exponent: its complement, with the zero fraction.
bits(N) FPRecpX(bits(N) op, FPCRType fpcr)
    integer E = ExponentWidth(N);
    integer F = N - 1 - E;
    bits(E) biased = op[N-2:F];
    bits(E) turned = if IsZero(biased) then Ones(E-1) : '0' else NOT(biased);
    bits(N) result = op[N-1] : turned : Zeros(F);
    return if IsFloatNaN(op) then QuietNaN(op) else result;

bits(N) FPRecipStepFused(bits(N) op1, bits(N) op2)
    bits(N) negated = FPNeg(op1);
    bits(N) two = FPTwo('0');
    return if IsInfinityTimesZero(op1, op2) then two else FPMulAdd(two, negated, op2, FPCR);

// (3 - op1 * op2) / 2. The half of a normal factor is exact; with a subnormal one the sum cannot overflow.
bits(N) FPRSqrtStepFused(bits(N) op1, bits(N) op2)
    integer E = ExponentWidth(N);
    bits(N) negated = FPNeg(op1);
    integer biased = UInt(op1[N-2:N-1-E]);
    integer less = biased - 1;
    bits(N) half = negated[N-1] : less[E-1:0] : negated[N-2-E:0];
    bits(N) result = FPMul(FPMulAdd(FPThree('0'), negated, op2, FPCR), FPPointFive('0'), FPCR);
    if biased > 1 && biased != (1 << E) - 1 then
        result = FPMulAdd(FPOnePointFive('0'), half, op2, FPCR);
    return if IsInfinityTimesZero(op1, op2) then FPOnePointFive('0') else result;

// BFloat16: sums and products are rounded to odd, subnormal numbers are zeros, and NaNs have no payload. A double has
// room for them until then.

bits(64) BFUnpacked(bits(32) op)
    bits(32) flushed = if IsZero(op[30:23]) then op[31] : Zeros(31) else op;
    return FPConvert(flushed, FPCR);

bits(32) BFRound(bits(64) op)
    bits(64) size = FPAbs(op);
    bits(32) result = FPConvert(op, FPCR, FPRounding_ODD);
    if FPCompareUN(op, op, FPCR) then
        result = FPDefaultNaN();
    elsif FPCompareGE(size, FPPower(128, 64), FPCR) then
        result = FPInfinity(op[63]);
    elsif FPCompareGT(FPPower(-126, 64), size, FPCR) then
        result = FPZero(op[63]);
    return result;

bits(32) BFAdd(bits(32) op1, bits(32) op2)
    return BFRound(FPAdd(BFUnpacked(op1), BFUnpacked(op2), FPCR, FPRounding_ODD));

bits(32) BFMul(bits(16) op1, bits(16) op2)
    return BFRound(FPMul(BFUnpacked(op1 : Zeros(16)), BFUnpacked(op2 : Zeros(16)), FPCR));

bits(N) BFMatMulAdd(bits(N) addend, bits(N) op1, bits(N) op2)
    bits(N) result;
    for i = 0 to 1
        for j = 0 to 1
            bits(32) sum = Elem[addend, 2*i + j, 32];
            for k = 0 to 1
                bits(32) product0 = BFMul(Elem[op1, 4*i + 2*k, 16], Elem[op2, 4*j + 2*k, 16]);
                bits(32) product1 = BFMul(Elem[op1, 4*i + 2*k + 1, 16], Elem[op2, 4*j + 2*k + 1, 16]);
                sum = BFAdd(sum, BFAdd(product0, product1));
            Elem[result, 2*i + j, 32] = sum;
    return result;

bits(32) BFDotAdd(bits(32) addend, bits(16) op1_a, bits(16) op1_b, bits(16) op2_a, bits(16) op2_b, FPCRType fpcr)
    return BFAdd(addend, BFAdd(BFMul(op1_a, op2_a), BFMul(op1_b, op2_b)));

bits(32) BFMulAdd(bits(32) addend, bits(32) op1, bits(32) op2, FPCRType fpcr)
    return FPMulAdd(addend, op1, op2, fpcr);
