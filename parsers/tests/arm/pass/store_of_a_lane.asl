//! {"name": "vst2_lane_u16", "return_type": {"value": "void"}, "arguments": ["uint16_t * ptr", "uint16x4x2_t val", "const int lane"], "results": [{"void": "result"}], "Arguments_Preparation": {"ptr": {"register": "Xn"}, "val": {"register": "Vt2.4H"}, "lane": {"minimum": "0", "maximum": "3"}}, "Operation": "Sample_00001", "instruction_group": "sample", "base_instruction": ["ST2"], "operands": "{Vt.h - Vt2.h}[lane],[Xn]"}
//! word st2 { v16.h, v17.h }[{0..3}], [x1] = 0d204030 0d204830 0d205030 0d205830

__instruction case_store_lane
    __encoding case_store_lane
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
