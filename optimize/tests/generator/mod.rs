//! Random functions of LLVM assembly.

use optimize::samples::Random;

/// A function of a few instructions, with flags that make poison.
pub fn function(random: &mut Random) -> String {
    let width = [8, 16, 32][random.below(3) as usize];
    let ty = match random.below(3) {
        0 => format!("i{width}"),
        lanes => format!("<{} x i{width}>", 2 * lanes),
    };
    let is_vector = ty.starts_with('<');
    let constant = |random: &mut Random| {
        let value = [1, 2, 3, 4, 7, 15, 16, 127, 255][random.below(9) as usize] & ((1u64 << (width - 1)) - 1);
        if is_vector { format!("splat (i{width} {value})") } else { value.to_string() }
    };
    let mut names = vec!["%a".to_owned(), "%b".to_owned()];
    let mut lines = Vec::new();
    for number in 0..2 + random.below(3) {
        let pick = |random: &mut Random| names[random.below(names.len() as u64) as usize].clone();
        let last = names[names.len() - 1].clone();
        let (left, right) = (if number == 0 { pick(random) } else { last }, pick(random));
        let right = if random.below(2) == 0 { constant(random) } else { right };
        let name = format!("%v{number}");
        let line = match random.below(8) {
            0..4 => {
                let operator = ["add", "sub", "mul", "and", "or", "xor"][random.below(6) as usize];
                let arithmetic = ["add", "sub", "mul"].contains(&operator);
                let flags =
                    if arithmetic { ["", " nsw", " nuw", " nuw nsw"][random.below(4) as usize] } else { "" };
                format!("{operator}{flags} {ty} {left}, {right}")
            }
            4 | 5 => {
                let operator = ["shl", "lshr", "ashr", "lshr exact", "shl nsw"][random.below(5) as usize];
                let by = 1 + random.below(width - 1);
                let by = if is_vector { format!("splat (i{width} {by})") } else { by.to_string() };
                format!("{operator} {ty} {left}, {by}")
            }
            6 => {
                let operator = ["umin", "smax", "uadd.sat", "usub.sat", "ssub.sat"][random.below(5) as usize];
                let mangled = ty.replace(" x ", "").replace('<', "v").replace('>', "");
                format!("call {ty} @llvm.{operator}.{mangled}({ty} {left}, {ty} {right})")
            }
            _ => {
                let predicate = ["ult", "slt", "eq", "sge"][random.below(4) as usize];
                let bits = if is_vector { ty.replace(&format!("i{width}"), "i1") } else { "i1".to_owned() };
                lines.push(format!("  {name}.c = icmp {predicate} {ty} {left}, {right}"));
                format!("select {bits} {name}.c, {ty} {left}, {ty} {right}")
            }
        };
        lines.push(format!("  {name} = {line}"));
        names.push(name);
    }
    let last = &names[names.len() - 1];
    format!("define {ty} @f({ty} %a, {ty} %b) {{\n{}\n  ret {ty} {last}\n}}\n", lines.join("\n"))
}
