//! Rules in other forms: for people, for other solvers, and for equality saturation.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;

use smt::script;
use synth::window::{ExpressionId, Meaning, Operator, Window, limits, print};

use crate::check::{condition, sides};
use crate::graph::Head;
use crate::instance::Instance;
use crate::lowering::Lowering;
use crate::sequence::{Sequence, Source};
use crate::text::Binds;

/// A pattern's expression as text.
pub fn shown(instance: &Instance, expression: ExpressionId) -> String {
    print(&instance.window.expressions, expression, &|leaf| instance.name(leaf).to_owned())
}

/// The conditions of an instance in words; nothing where there are none.
pub fn conditions(instance: &Instance) -> String {
    let mut all = Vec::new();
    for (leaf, binds) in instance.window.leaves.iter().zip(&instance.binds) {
        let (low, high) = leaf.range.unwrap_or(limits(leaf.ty));
        match binds {
            Binds::Constant => all.push(format!("{} a literal, {low} to {high}", leaf.name)),
            Binds::Uniform => all.push(format!("{} the same in all lanes", leaf.name)),
            Binds::Anything if leaf.range.is_some() => all.push(format!("{low} ≤ {} ≤ {high}", leaf.name)),
            Binds::Anything => {}
        }
    }
    for (variable, mask, value) in &instance.bits {
        all.push(format!("{} & {mask:#x} = {value:#x}", instance.name(*variable)));
    }
    all.extend(instance.conditions.iter().map(|condition| shown(instance, *condition)));
    all.join("; ")
}

/// The steps of a sequence in one line: `t0 = paddw(i0, i1)`.
pub fn steps(sequence: &Sequence) -> String {
    let input = |at: usize| match &sequence.inputs[at] {
        Source::Variable { variable, register } => format!("{variable}.{register}"),
        Source::Constant { lanes, .. } => match &lanes[..] {
            [crate::scalar::Scalar::Number(number)] => format!("#{}", number.0),
            [_] => "#scalar".to_owned(),
            _ => "#table".to_owned(),
        },
    };
    let named = |text: &str| {
        // Inputs by what they hold; `t` and words stay.
        let mut out = String::new();
        let mut rest = text;
        while let Some(at) = rest.find('i') {
            let digits: String = rest[at + 1..].chars().take_while(char::is_ascii_digit).collect();
            out += &rest[..at];
            match digits.parse::<usize>() {
                Ok(number) if number < sequence.inputs.len() => out += &input(number),
                _ => out += &rest[at..at + 1 + digits.len()],
            }
            rest = &rest[at + 1 + digits.len()..];
        }
        out + rest
    };
    let mut all = Vec::new();
    for (at, step) in sequence.steps.iter().enumerate() {
        let mut operands: Vec<String> = step.operands.iter().map(|operand| named(operand)).collect();
        operands.extend(step.immediates.iter().map(|number| number.0.clone()));
        all.push(format!("t{at} = {}({})", step.id, operands.join(", ")));
    }
    let outputs: Vec<String> = sequence.outputs.iter().map(|output| named(output)).collect();
    all.push(format!("result {}", outputs.join(", ")));
    all.join("; ")
}

/// A page on lowering rules: before, after, condition, proof and cost of each, and for each name what uses its rules.
pub fn markdown(target: &str, rules: &[Lowering], uses: &BTreeMap<String, BTreeSet<String>>) -> String {
    let mut text = format!("# Rules for {target}\n");
    let mut name = "";
    for rule in rules {
        if rule.name != name {
            name = &rule.name;
            let _ = write!(text, "\n## {name}\n");
            if let Some(own) = uses.get(name) {
                let own: Vec<String> = own.iter().map(|window| format!("`{window}`")).collect();
                let _ = write!(text, "\nUsed by {}.\n", own.join(", "));
            }
            let _ = write!(
                text,
                "\n| before | lanes | condition | after | µops | latency | proof |\n|---|---|---|---|---|---|---|\n"
            );
        }
        let own = &rule.certificate;
        let _ = writeln!(
            text,
            "| `{}` | {} | {} | `{}` | {} | {} | {} choices: {} lanes structural, {} by solver |",
            shown(&rule.pattern, rule.pattern.window.root),
            rule.lanes,
            conditions(&rule.pattern),
            steps(&rule.sequence),
            rule.cost.uops,
            rule.cost.latency,
            own.choices,
            own.structural,
            own.solver
        );
    }
    text
}

/// The obligation of an equality as SMT-LIB: `unsat` means that it holds. `None` where it is too large.
pub fn smtlib(instance: &Instance) -> Option<String> {
    let own = |root: ExpressionId| {
        let window = Window { root, ..instance.window.clone() };
        Meaning::new(&window).function().ok()
    };
    let (mut from, mut to) = (own(instance.window.root)?, own(instance.to?)?);
    let mut meaning = Meaning::new(&instance.window);
    if condition(&mut meaning, instance)?.is_some() {
        // Where the conditions do not hold both sides are the replacement.
        let (guarded, _) = sides(&mut meaning, instance)?;
        let mut function = meaning.function().ok()?;
        let width = instance.window.ty().width;
        let mut lowering = hydride_ir::exact::Lowering::default();
        let value = lowering.lower(&meaning.dag, guarded, width, &mut function).ok()?;
        function.body.clear();
        function.body.push(hydride_ir::Stmt::Assign {
            result: hydride_ir::ResultId(0),
            low: hydride_ir::Num::constant(0),
            value,
        });
        from = function;
    }
    from.name = format!("{} ({})", instance.window.name, instance.shown());
    to.name = "its replacement".into();
    Some(script(&from, &to).ok()?.text)
}

/// Equalities as an egglog program: rewrites over terms with their types as strings. Conditions on constants are guards;
/// equalities with conditions on values have no form and are left out, named in a comment.
pub fn egglog(instances: &[Instance]) -> String {
    let mut text = String::from(
        "; Expressions: the type of each node is its first argument.\n(datatype E\n  (Leaf String String)\n  (Lit String i64)\n",
    );
    for (_, name, operands) in synth::window::Lanewise::ALL {
        let _ = writeln!(text, "  ({name} String{})", " E".repeat(*operands));
    }
    text += ")\n(function type (E) String :no-merge)\n";
    text += "(rule ((= e (Leaf t x))) ((set (type e) t)))\n(rule ((= e (Lit t x))) ((set (type e) t)))\n";
    for (_, name, operands) in synth::window::Lanewise::ALL {
        let names: String = (0..*operands).map(|at| format!(" x{at}")).collect();
        let _ = writeln!(text, "(rule ((= e ({name} t{names}))) ((set (type e) t)))");
    }
    for instance in instances {
        let Some(to) = instance.to else { continue };
        let values = instance.binds.iter().zip(&instance.window.leaves);
        let on_values = values.clone().any(|(binds, leaf)| *binds != Binds::Constant && leaf.range.is_some());
        if on_values || !instance.bits.is_empty() || !instance.conditions.is_empty() {
            let _ =
                writeln!(text, "; {} ({}) has conditions on values", instance.window.name, instance.shown());
            continue;
        }
        let mut guards = String::new();
        for (binds, leaf) in values {
            match binds {
                Binds::Constant => {
                    let (low, high) = leaf.range.unwrap_or(limits(leaf.ty));
                    if let (Ok(low), Ok(high)) = (i64::try_from(low), i64::try_from(high)) {
                        let _ = write!(guards, " (>= {0} {low}) (<= {0} {high})", leaf.name);
                    }
                }
                _ => {
                    let _ = write!(guards, " (= (type {}) \"{}\")", leaf.name, leaf.ty);
                }
            }
        }
        let _ = writeln!(
            text,
            "; {} ({})\n(rewrite {}\n         {}\n  :when ({}))",
            instance.window.name,
            instance.shown(),
            term(instance, instance.window.root),
            term(instance, to),
            guards.trim_start()
        );
    }
    text
}

fn term(instance: &Instance, expression: ExpressionId) -> String {
    let node = instance.window.expressions.get(expression);
    match &node.operator {
        Operator::Leaf(leaf) if instance.binds[*leaf] == Binds::Constant => {
            format!("(Lit \"{}\" {})", node.ty, instance.name(*leaf))
        }
        Operator::Leaf(leaf) => instance.name(*leaf).to_owned(),
        Operator::Literal(value) => format!("(Lit \"{}\" {value})", node.ty),
        other => {
            let operands: String =
                node.operands.iter().map(|operand| format!(" {}", term(instance, *operand))).collect();
            format!("({} \"{}\"{operands})", Head::of(other).map_or("other", Head::name), node.ty)
        }
    }
}
