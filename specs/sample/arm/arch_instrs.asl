// A few instructions in the format of Arm's `arch_instrs.asl`, written for Hydride's tests. The
// patterns are those of A64; the statements are our own.

__instruction sample_add
    __encoding sample_add
        __instruction_set A64
        __field Q 30 +: 1
        __field U 29 +: 1
        __field size 22 +: 2
        __field Rm 16 +: 5
        __field Rn 5 +: 5
        __field Rd 0 +: 5
        __opcode '0xx01110 xx1xxxxx 100001xx xxxxxxxx'
        __guard TRUE
        __decode
            if size == '11' && Q == '0' then UNDEFINED;
            integer lane = BYTE << UInt(size);
            integer total = 64 << UInt(Q);
            boolean minus = U == '1';

    __execute
        CheckFPAdvSIMDEnabled64();
        bits(total) left = V[UInt(Rn)];
        bits(total) right = V[UInt(Rm)];
        bits(total) sum;
        for i = 0 to total DIV lane - 1
            if minus then
                Elem[sum, i, lane] = Elem[left, i, lane] - Elem[right, i, lane];
            else
                Elem[sum, i, lane] = Elem[left, i, lane] + Elem[right, i, lane];
        V[UInt(Rd)] = sum;

__instruction sample_saturating_add
    __encoding sample_saturating_add
        __instruction_set A64
        __field Q 30 +: 1
        __field U 29 +: 1
        __field size 22 +: 2
        __field Rm 16 +: 5
        __field Rn 5 +: 5
        __field Rd 0 +: 5
        __opcode '0xx01110 xx1xxxxx 000011xx xxxxxxxx'
        __guard TRUE
        __decode
            integer lane = BYTE << UInt(size);
            integer total = 64 << UInt(Q);
            boolean natural = U == '1';

    __execute
        bits(total) left = V[UInt(Rn)];
        bits(total) right = V[UInt(Rm)];
        bits(total) sum;
        boolean over;
        for i = 0 to total DIV lane - 1
            exact = Number(Elem[left, i, lane], natural) + Number(Elem[right, i, lane], natural);
            (Elem[sum, i, lane], over) = Clamped(exact, lane, natural);
            if over then FPSR.QC = '1';
        V[UInt(Rd)] = sum;

__instruction sample_shift_right
    __encoding sample_shift_right
        __instruction_set A64
        __field Q 30 +: 1
        __field U 29 +: 1
        __field immh 19 +: 4
        __field immb 16 +: 3
        __field o1 13 +: 1
        __field o0 12 +: 1
        __field Rn 5 +: 5
        __field Rd 0 +: 5
        __opcode '0xx01111 0xxxxxxx 00xx01xx xxxxxxxx'
        __guard TRUE
        __decode
            if immh == '0000' then SEE(another);
            integer lane = BYTE << TopOne(immh);
            integer total = if Q == '1' then 128 else 64;
            integer distance = 2*lane - UInt(immh:immb);
            boolean natural = U == '1';
            boolean nearest = o1 == '1';
            boolean onto = o0 == '1';

    __execute
        bits(total) source = V[UInt(Rn)];
        bits(total) result = if onto then V[UInt(Rd)] else Zeros();
        integer bias = if nearest then 1 << (distance - 1) else 0;
        for i = 0 to (total DIV lane) - 1
            shifted = (Number(Elem[source, i, lane], natural) + bias) >> distance;
            Elem[result, i, lane] = Elem[result, i, lane] + shifted<lane-1:0>;
        V[UInt(Rd)] = result;

__instruction sample_doubling_high
    __encoding sample_doubling_high
        __instruction_set A64
        __field Q 30 +: 1
        __field U 29 +: 1
        __field size 22 +: 2
        __field Rm 16 +: 5
        __field Rn 5 +: 5
        __field Rd 0 +: 5
        __opcode '0xx01110 xx1xxxxx 101101xx xxxxxxxx'
        __guard TRUE
        __decode
            if size IN {'00', '11'} then UNDEFINED;
            integer lane = 8 * 2 ^ UInt(size);
            integer total = if Q == '1' then 128 else 64;
            boolean nearest = (U == '1');

    __execute
        bits(total) left = V[UInt(Rn)];
        bits(total) right = V[UInt(Rm)];
        bits(total) high;
        for i = 0 to total DIV lane - 1
            twice = 2 * SInt(Elem[left, i, lane]) * SInt(Elem[right, i, lane]);
            if nearest then twice = twice + (1 << (lane - 1));
            (Elem[high, i, lane], -) = Clamped(twice >> lane, lane, FALSE);
        V[UInt(Rd)] = high;

__instruction sample_table
    __encoding sample_table
        __instruction_set A64
        __field Q 30 +: 1
        __field Rm 16 +: 5
        __field len 13 +: 2
        __field op 12 +: 1
        __field Rn 5 +: 5
        __field Rd 0 +: 5
        __opcode '0x001110 000xxxxx 0xxx00xx xxxxxxxx'
        __guard TRUE
        __decode
            integer count = UInt(len) + 1;
            integer total = if Q == '1' then 128 else 64;
            boolean keeps = op == '1';

    __execute
        bits(128 * count) entries = Zeros();
        for i = 0 to count - 1
            entries[128*i +: 128] = V[(UInt(Rn) + i) MOD 32];
        bits(total) wanted = V[UInt(Rm)];
        bits(total) found = if keeps then V[UInt(Rd)] else Zeros();
        for i = 0 to total DIV 8 - 1
            at = UInt(Elem[wanted, i, 8]);
            if at < 16 * count then
                Elem[found, i, 8] = Elem[entries, at, 8];
        V[UInt(Rd)] = found;

__instruction sample_multiply_add_lane
    __encoding sample_multiply_add_lane
        __instruction_set A64
        __field Q 30 +: 1
        __field U 29 +: 1
        __field size 22 +: 2
        __field L 21 +: 1
        __field M 20 +: 1
        __field Rm 16 +: 4
        __field o2 14 +: 1
        __field H 11 +: 1
        __field Rn 5 +: 5
        __field Rd 0 +: 5
        __opcode '0xx01111 xxxxxxxx 0x10x0xx xxxxxxxx'
        __guard TRUE
        __decode
            integer lane = BYTE << UInt(size);
            integer which;
            bit top;
            case size of
                when '01'
                    which = UInt(H:L:M);
                    top = '0';
                when '10' which = UInt(H:L); top = M;
                otherwise UNDEFINED;
            integer other = UInt(top:Rm);
            integer width = if H == '1' then 128 else 64;
            boolean minus = o2 == '1';
            boolean natural = U == '1';

    __execute
        bits(128) both = V[UInt(Rn)];
        bits(64) source = if Q == '1' then both[127:64] else both[63:0];
        bits(width) lanes = V[other];
        bits(128) result = V[UInt(Rd)];
        factor = Number(Elem[lanes, which, lane], natural);
        for i = 0 to 64 DIV lane - 1
            product = Number(Elem[source, i, lane], natural) * factor;
            before = Elem[result, i, 2*lane];
            Elem[result, i, 2*lane] = if minus then before - product else before + product;
        V[UInt(Rd)] = result;

__instruction sample_pairwise_accumulate
    __encoding sample_pairwise_accumulate
        __instruction_set A64
        __field Q 30 +: 1
        __field U 29 +: 1
        __field size 22 +: 2
        __field op 14 +: 1
        __field Rn 5 +: 5
        __field Rd 0 +: 5
        __opcode '0xx01110 xx100000 0x1010xx xxxxxxxx'
        __guard TRUE
        __decode
            if size == '11' then UNDEFINED;
            integer lane = BYTE << UInt(size);
            integer total = if Q == '1' then 128 else 64;
            boolean onto = op == '1';
            boolean natural = U == '1';

    __execute
        bits(total) source = V[UInt(Rn)];
        bits(total) result = if onto then V[UInt(Rd)] else Zeros();
        for i = 0 to total DIV (2*lane) - 1
            pair = Number(Elem[source, 2*i, lane], natural) + Number(Elem[source, 2*i + 1, lane], natural);
            Elem[result, i, 2*lane] = Elem[result, i, 2*lane] + pair;
        V[UInt(Rd)] = result;

__instruction sample_shift_insert
    __encoding sample_shift_insert
        __instruction_set A64
        __field Q 30 +: 1
        __field immh 19 +: 4
        __field immb 16 +: 3
        __field Rn 5 +: 5
        __field Rd 0 +: 5
        __opcode '0x101111 0xxxxxxx 010101xx xxxxxxxx'
        __guard TRUE
        __decode
            if immh == '0000' then SEE "another";
            integer lane = BYTE << TopOne(immh);
            integer total = if Q == '1' then 128 else 64;
            integer distance = UInt(immh:immb) - lane;

    __execute
        bits(total) source = V[UInt(Rn)];
        bits(total) target = V[UInt(Rd)];
        bits(total) result;
        bits(lane) moved = MovedUp(Ones(lane), distance);
        for i = 0 to total DIV lane - 1
            kept = Elem[target, i, lane] AND NOT(moved);
            Elem[result, i, lane] = kept OR MovedUp(Elem[source, i, lane], distance);
        V[UInt(Rd)] = result;

__instruction sample_extract
    __encoding sample_extract
        __instruction_set A64
        __field Q 30 +: 1
        __field Rm 16 +: 5
        __field imm4 11 +: 4
        __field Rn 5 +: 5
        __field Rd 0 +: 5
        __opcode '0x101110 000xxxxx 0xxxx0xx xxxxxxxx'
        __guard TRUE
        __decode
            if Q == '0' && imm4[3] == '1' then UNDEFINED;
            integer total = if Q == '1' then 128 else 64;
            integer from = 8 * UInt(imm4);

    __execute
        bits(total) low = V[UInt(Rn)];
        bits(total) high = V[UInt(Rm)];
        bits(2*total) both = high:low;
        V[UInt(Rd)] = both[from +: total];

__instruction sample_count
    __encoding sample_count
        __instruction_set A64
        __field Q 30 +: 1
        __field Rn 5 +: 5
        __field Rd 0 +: 5
        __opcode '0x001110 00100000 010110xx xxxxxxxx'
        __guard TRUE
        __decode
            integer lane = 8;
            integer total = if Q == '1' then 128 else 64;
            Counting what = Counting_Ones;

    __encoding sample_count_leading
        __instruction_set A64
        __field Q 30 +: 1
        __field U 29 +: 1
        __field size 22 +: 2
        __field Rn 5 +: 5
        __field Rd 0 +: 5
        __opcode '0xx01110 xx100000 010010xx xxxxxxxx'
        __guard TRUE
        __decode
            if size == '11' then UNDEFINED;
            integer lane = BYTE << UInt(size);
            integer total = if Q == '1' then 128 else 64;
            Counting what = if U == '1' then Counting_Zeros else Counting_Signs;

    __execute
        bits(total) source = V[UInt(Rn)];
        bits(total) result;
        integer count;
        for i = 0 to total DIV lane - 1
            bits(lane) pattern = Elem[source, i, lane];
            case what of
                when Counting_Ones count = CountOnes(pattern);
                when Counting_Zeros count = lane - 1 - TopOne(pattern);
                when Counting_Signs count = lane - 2 - TopOne(pattern[lane-1:1] EOR pattern[lane-2:0]);
            Elem[result, i, lane] = count[lane-1:0];
        V[UInt(Rd)] = result;

__instruction sample_transpose
    __encoding sample_transpose
        __instruction_set A64
        __field Q 30 +: 1
        __field size 22 +: 2
        __field Rm 16 +: 5
        __field op 14 +: 1
        __field Rn 5 +: 5
        __field Rd 0 +: 5
        __opcode '0x001110 xx0xxxxx 0x1010xx xxxxxxxx'
        __guard TRUE
        __decode
            if size:Q == '110' then UNDEFINED;
            integer lane = BYTE << UInt(size);
            integer total = if Q == '1' then 128 else 64;
            integer odd = UInt(op);

    __execute
        bits(total) left = V[UInt(Rn)];
        bits(total) right = V[UInt(Rm)];
        bits(total) result;
        for i = 0 to (total DIV lane) DIV 2 - 1
            Elem[result, 2*i, lane] = Elem[left, 2*i + odd, lane];
            Elem[result, 2*i + 1, lane] = Elem[right, 2*i + odd, lane];
        V[UInt(Rd)] = result;

__instruction sample_copy
    __encoding sample_copy_from_general
        __instruction_set A64
        __field imm5 16 +: 5
        __field Rn 5 +: 5
        __field Rd 0 +: 5
        __opcode '01001110 000xxxxx 000111xx xxxxxxxx'
        __guard TRUE
        __decode
            integer lane;
            integer which;
            case imm5 of
                when 'xxxx1' lane = 8; which = UInt(imm5[4:1]);
                when 'xxx10' lane = 16; which = UInt(imm5[4:2]);
                when 'xx100' lane = 32; which = UInt(imm5[4:3]);
                when 'x1000' lane = 64; which = UInt(imm5[4]);
                otherwise UNDEFINED;

    __execute
        bits(128) result = V[UInt(Rd)];
        Elem[result, which, lane] = X[UInt(Rn)];
        V[UInt(Rd)] = result;

__instruction sample_copy_to_general
    __encoding sample_copy_to_general
        __instruction_set A64
        __field Q 30 +: 1
        __field imm5 16 +: 5
        __field Rn 5 +: 5
        __field Rd 0 +: 5
        __opcode '0x001110 000xxxxx 001111xx xxxxxxxx'
        __guard TRUE
        __decode
            integer lane;
            integer which;
            case imm5 of
                when 'xxxx1' lane = 8; which = UInt(imm5[4:1]);
                when 'xxx10' lane = 16; which = UInt(imm5[4:2]);
                when 'xx100' lane = 32; which = UInt(imm5[4:3]);
                when 'x1000' lane = 64; which = UInt(imm5[4]);
                otherwise UNDEFINED;
            integer total = if Q == '1' then 64 else 32;

    __execute
        bits(128) source = V[UInt(Rn)];
        X[UInt(Rd)] = ZeroExtend(Elem[source, which, lane], total);

__instruction sample_copy_element
    __encoding sample_copy_element
        __instruction_set A64
        __field imm5 16 +: 5
        __field Rn 5 +: 5
        __field Rd 0 +: 5
        __opcode '01011110 000xxxxx 000001xx xxxxxxxx'
        __guard TRUE
        __decode
            if imm5[3:0] != '1000' then UNDEFINED;
            integer which = UInt(imm5[4]);

    __execute
        bits(128) source = V[UInt(Rn)];
        V[UInt(Rd)] = Elem[source, which, 64];

__instruction sample_insert_element
    __encoding sample_insert_element
        __instruction_set A64
        __field imm5 16 +: 5
        __field imm4 11 +: 4
        __field Rn 5 +: 5
        __field Rd 0 +: 5
        __opcode '01101110 000xxxxx 0xxxx1xx xxxxxxxx'
        __guard TRUE
        __decode
            if imm5[3:0] != '1000' then UNDEFINED;
            integer target = UInt(imm5[4]);
            integer from = UInt(imm4[3]);

    __execute
        bits(128) source = V[UInt(Rn)];
        bits(128) result = V[UInt(Rd)];
        Elem[result, target, 64] = Elem[source, from, 64];
        V[UInt(Rd)] = result;

__instruction sample_ambiguous
    __encoding sample_absolute_one
        __instruction_set A64
        __field Rn 5 +: 5
        __field Rd 0 +: 5
        __opcode '0x001110 xx100000 101110xx xxxxxxxx'
        __guard TRUE
        __decode
            integer total = 64;

    __encoding sample_absolute_two
        __instruction_set A64
        __field Rn 5 +: 5
        __field Rd 0 +: 5
        __opcode '00001110 00100000 101110xx xxxxxxxx'
        __guard TRUE
        __decode
            integer total = 64;

    __execute
        bits(total) source = V[UInt(Rn)];
        V[UInt(Rd)] = source;

__instruction sample_root
    __encoding sample_root
        __instruction_set A64
        __field Q 30 +: 1
        __field Rn 5 +: 5
        __field Rd 0 +: 5
        __opcode '0x001110 10100001 110010xx xxxxxxxx'
        __guard TRUE
        __decode
            integer total = if Q == '1' then 128 else 64;

    __execute
        bits(total) source = V[UInt(Rn)];
        bits(total) result;
        for i = 0 to total DIV 32 - 1
            root = WholeRoot(UInt(Elem[source, i, 32][7:0]));
            Elem[result, i, 32] = root[31:0];
        V[UInt(Rd)] = result;

__instruction sample_structures
    __encoding sample_structures
        __instruction_set A64
        __field Q 30 +: 1
        __field L 22 +: 1
        __field opcode 12 +: 4
        __field size 10 +: 2
        __field Rn 5 +: 5
        __field Rt 0 +: 5
        __opcode '0x001100 0x000000 xxxxxxxx xxxxxxxx'
        __guard TRUE
        __decode
            integer lane = BYTE << UInt(size);
            integer total = 64 << UInt(Q);
            integer vectors;
            case opcode of
                when '0111' vectors = 1;
                when '1000' vectors = 2;
                otherwise UNDEFINED;

    __execute
        bits(64) place = X[UInt(Rn)];
        for i = 0 to total DIV lane - 1
            for k = 0 to vectors - 1
                bits(total) vector = V[UInt(Rt) + k];
                if L == '1' then
                    Elem[vector, i, lane] = Mem[place, lane DIV BYTE, Access_Vector];
                    V[UInt(Rt) + k] = vector;
                else
                    Mem[place, lane DIV BYTE, Access_Vector] = Elem[vector, i, lane];
                place = place + lane DIV BYTE;

__instruction sample_store_lane
    __encoding sample_store_lane
        __instruction_set A64
        __field Q 30 +: 1
        __field R 21 +: 1
        __field S 12 +: 1
        __field size 10 +: 2
        __field Rn 5 +: 5
        __field Rt 0 +: 5
        __opcode '0x001101 00x00000 010xxxxx xxxxxxxx'
        __guard TRUE
        __decode
            integer chosen = UInt(Q:S:size[1]);
            integer unused = integer UNKNOWN;

    __execute
        for k = 0 to UInt(R)
            bits(128) vector = V[UInt(Rt) + k];
            Mem[X[UInt(Rn)] + 2*k, 2, Access_Vector] = Elem[vector, chosen, 2 * BYTE];
