//! {"name": "vld1_s8", "return_type": {"value": "int8x8_t"}, "arguments": ["int8_t const * ptr"], "results": [{"Vt.8B": "result"}], "Arguments_Preparation": {"ptr": {"register": "Xn"}}, "Operation": "Sample_00001", "instruction_group": "sample", "base_instruction": ["LD1"], "operands": "{Vt.8B},[Xn]"}
//! word ld1 { v16.8b }, [x1] = 0c407030

__instruction case_a
    __encoding case_a
        __instruction_set A64
        __field Rt 0 +: 5
        __opcode '0x001100 01000000 0111xxxx xxxxxxxx'
        __guard TRUE
        __decode
            integer t = UInt(Rt);

    __execute
        V[t] = Mem[Zeros(64), 8, Access_Vector];
