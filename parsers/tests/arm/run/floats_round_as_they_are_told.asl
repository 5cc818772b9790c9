//! run 3f8000003f800000 33000000 => 3f8000003f800001
//! {"name": "vround", "return_type": {"value": "float32x2_t"}, "arguments": ["float32x2_t a", "float32_t b"], "results": [{"Vd.2S": "result"}], "Arguments_Preparation": {"a": {"register": "Vn.2S"}, "b": {"register": "Sm"}}, "Operation": "Case", "base_instruction": ["FADD"], "operands": "Vd.2S,Vn.2S,Vm.2S"}
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
            FPRounding rounding = FPRounding_POSINF;

    __execute
        bits(64) left = V[UInt(Rn)];
        bits(32) right = V[UInt(Rm)];
        bits(64) sum;
        Elem[sum, 0, 32] = FPAdd(Elem[left, 0, 32], right, FPCR, rounding);
        Elem[sum, 1, 32] = FPAdd(Elem[left, 1, 32], right, FPCR);
        V[UInt(Rd)] = sum;
