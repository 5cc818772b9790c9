//! For which target a module is, by what the compiler wrote into it.

use std::collections::BTreeMap;

use crate::commands::synth::targets::Named;

/// What is compiled for.
#[derive(Clone, Debug)]
pub struct Choice {
    /// The target whose instructions are searched.
    pub named: Named,
    /// The machine whose costs count, where the module names one.
    pub cpu: Option<String>,
}

impl Choice {
    /// The best of `targets` that a module's triple, and the features of most of its functions, permit.
    pub fn of(module: &str, targets: Vec<Named>) -> Result<Self, String> {
        let quoted = |line: &str| Some(line.split('"').nth(1)?.to_owned());
        let triple = module.lines().find_map(|line| quoted(line.strip_prefix("target triple = ")?));
        let triple = triple.ok_or("the module has no triple")?;
        let mut counts: BTreeMap<(String, String), usize> = BTreeMap::new();
        for (group, attributes) in module.lines().filter_map(group) {
            let uses = module.lines().filter(|line| line.starts_with("define ") && has_word(line, group));
            let count = uses.count();
            if count > 0 {
                let of = |name| value(attributes, name).unwrap_or_default().to_owned();
                *counts.entry((of("target-cpu"), of("target-features"))).or_default() += count;
            }
        }
        let most = counts.into_iter().max_by_key(|(_, count)| *count);
        let ((cpu, features), _) = most.ok_or("no function says for which machine it is")?;
        let architecture = |triple: &str| triple.split('-').next().unwrap_or_default().to_owned();
        let fits = |named: &Named| {
            let own = named.options.iter().find_map(|option| option.strip_prefix("--target="));
            own.map(architecture) == Some(architecture(&triple))
                && named.features.iter().all(|wanted| features.split(',').any(|has| has == wanted))
        };
        let best = targets.into_iter().filter(fits).max_by_key(|named| named.features.len());
        let named = best.ok_or_else(|| format!("no target for {triple} has the instructions of {cpu}"))?;
        // Levels of an architecture are no machines: the target's own counts.
        let is_machine = !(cpu.is_empty() || cpu == "generic" || cpu.starts_with("x86-64"));
        Ok(Self { named, cpu: is_machine.then_some(cpu) })
    }
}

/// A group of attributes: its name, and what is in it.
fn group(line: &str) -> Option<(&str, &str)> {
    let (name, attributes) = line.strip_prefix("attributes ")?.split_once(" = ")?;
    name.starts_with('#').then_some((name, attributes))
}

fn has_word(line: &str, word: &str) -> bool {
    line.split_whitespace().any(|own| own == word)
}

/// The value of an attribute.
fn value<'a>(attributes: &'a str, name: &str) -> Option<&'a str> {
    let (_, rest) = attributes.split_once(&format!("\"{name}\"=\""))?;
    rest.split('"').next()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn chosen(triple: &str, cpu: &str, features: &str) -> Result<(String, Option<String>), String> {
        let text = format!(
            "target triple = \"{triple}\"\n\ndefine i32 @f() #0 {{\n  ret i32 0\n}}\n\ndeclare i32 @g() #1\n\n\
             attributes #0 = {{ nounwind \"target-cpu\"=\"{cpu}\" \"target-features\"=\"{features}\" }}\n\
             attributes #1 = {{ \"target-cpu\"=\"other\" \"target-features\"=\"+avx512f\" }}\n"
        );
        let choice = Choice::of(&text, Named::all().expect("targets"))?;
        Ok((choice.named.name, choice.cpu))
    }

    #[test]
    fn features_decide() {
        let x86 = "x86_64-unknown-linux-gnu";
        let name = |features: &str| chosen(x86, "x86-64", features).map(|(name, _)| name);
        assert_eq!(name("+sse2,+x87").ok(), None);
        assert_eq!(name("+sse2,+sse4.2").as_deref(), Ok("sse42"));
        assert_eq!(name("+avx,+avx2,+sse4.2").as_deref(), Ok("avx2"));
        let all = "+avx2,+avx512bw,+avx512cd,+avx512dq,+avx512f,+avx512vl,+sse4.2";
        assert_eq!(name(all).as_deref(), Ok("avx512"));
        assert_eq!(name(&format!("{all},+avx512vnni")).as_deref(), Ok("avx512vnni"));
        let arm = chosen("aarch64-unknown-linux-gnu", "neoverse-n2", "+neon,+fp-armv8");
        assert_eq!(arm, Ok(("neon".to_owned(), Some("neoverse-n2".to_owned()))));
        assert_eq!(chosen(x86, "haswell", "+avx2,+sse4.2").expect("a target").1.as_deref(), Some("haswell"));
        assert!(chosen("riscv64-unknown-linux-gnu", "generic-rv64", "+m").is_err());
    }
}
