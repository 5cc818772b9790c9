//! {"name": "vnone", "return_type": {"value": "int16x4_t"}, "arguments": ["int16x4_t a", "int16x4_t b"], "results": [{"Vd.4H": "result"}], "Arguments_Preparation": {"a": {"register": "Vn.4H"}, "b": {"register": "Vm.4H"}}, "Operation": "Case", "base_instruction": ["ADD"], "operands": "Vd.4H,Vn.4H,Vm.4H"}
//! word add v0.4h, v1.4h, v8.4h = 0e688420
// No instruction, and an operation that no document defines.
