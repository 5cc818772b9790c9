//! {"name": "vld2_u32", "return_type": {"value": "uint32x2x2_t"}, "arguments": ["uint32_t const * ptr"], "results": [{"Vt2.2S": "result.val[1]"}, {"Vt.2S": "result.val[0]"}], "Arguments_Preparation": {"ptr": {"register": "Xn"}}, "Operation": "Sample_00001", "instruction_group": "sample", "base_instruction": ["LD2"], "operands": "{Vt.2S - Vt2.2S},[Xn]"}
//! word ld2 { v16.2s, v17.2s }, [x1] = 0c408830

__instruction case_structures
    __encoding case_structures
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
