//! run 7fc000017f800002 ffc00003ffc00004 => ffc000037fc00002
//! run 3f80000080000000 7fc00005bf800000 => 3f800000bf800000
//! {"name": "vnan", "return_type": {"value": "float32x2_t"}, "arguments": ["float32x2_t a", "float32x2_t b"], "results": [{"Vd.2S": "result"}], "Arguments_Preparation": {"a": {"register": "Vn.2S"}, "b": {"register": "Vm.2S"}}, "Operation": "Case", "base_instruction": ["FADD"], "operands": "Vd.2S,Vn.2S,Vm.2S"}
//! word fadd v0.2s, v1.2s, v8.2s = 0e28d420

__instruction case_a
    __encoding case_a
        __instruction_set A64
        __field Rm 16 +: 5
        __field Rn 5 +: 5
        __field Rd 0 +: 5
        __opcode '00001110 001xxxxx 110101xx xxxxxxxx'
        __guard TRUE
        __decode
            integer elements = 2;

    __execute
        bits(64) left = V[UInt(Rn)];
        bits(64) right = V[UInt(Rm)];
        bits(64) least;
        for e = 0 to elements-1
            Elem[least, e, 32] = FPMinNum(Elem[right, e, 32], Elem[left, e, 32], FPCR);
        V[UInt(Rd)] = least;
