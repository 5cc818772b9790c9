//! run 0706050403020100 1817161514131211 => 0706141312110100 0706141312110100
//! run 0706050403020100 1817161514131210 => 0706050403020100 0706050403020100
//! {"name": "vexchange", "return_type": {"value": "uint8x8_t"}, "arguments": ["uint8_t * ptr", "uint8x8_t val"], "results": [{"Vt.8B": "result"}], "Arguments_Preparation": {"ptr": {"register": "Xn"}, "val": {"register": "Vt.8B"}}, "Operation": "Case", "base_instruction": ["SWP"], "operands": "{Vt.8B},[Xn]"}
//! word swp { v16.8b }, [x1] = 0c007030

__instruction case_a
    __encoding case_a
        __instruction_set A64
        __field Rn 5 +: 5
        __field Rt 0 +: 5
        __opcode '0x001100 00000000 0111xxxx xxxxxxxx'
        __guard TRUE
        __decode
            integer t = UInt(Rt);

    __execute
        SetTagCheckedInstruction(TRUE);
        bits(64) value = V[t];
        if value[0] == '1' then
            Mem[X[UInt(Rn)] + 2, 4, Access_Vector] = value[31:0];
        V[t] = Mem[X[UInt(Rn)], 8, Access_Vector];
