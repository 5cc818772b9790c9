//! {"name": "venum", "return_type": {"value": "int16x4_t"}, "arguments": ["int16x4_t a", "int16x4_t b"], "results": [{"Vd.4H": "result"}], "Arguments_Preparation": {"a": {"register": "Vn.4H"}, "b": {"register": "Vm.4H"}}, "Operation": "Case", "base_instruction": ["ADD"], "operands": "Vd.4H,Vn.4H,Vm.4H"}
//! word add v0.4h, v1.4h, v8.4h = 0e688420

__instruction case_a
    __encoding case_a
        __instruction_set A64
        __field Q 30 +: 1
        __field size 22 +: 2
        __field Rm 16 +: 5
        __field Rn 5 +: 5
        __field Rd 0 +: 5
        __opcode '0x001110 xx1xxxxx 100001xx xxxxxxxx'
        __guard TRUE
        __decode
            integer lane = BYTE << UInt(size);
            integer total = 64 << UInt(Q);

    __execute
        bits(total) left = V[UInt(Rn)];
        bits(total) right = V[UInt(Rm)];
        bits(total) sum;
        sum = left;
        for i = 0 to 20000
            sum = (sum + left) EOR right;
        V[UInt(Rd)] = sum;
