//! Ways to values as the window has them written: over operands that are named, and from a name to what it stands for.

use hydride_ir::exact::{Node, NodeId};

use crate::contents::{Content, Entry, Source, States, Wanted, sources};
use crate::forms::whole_of;
use crate::options::{Finder, Way};
use crate::program::Program;

impl Finder<'_, '_> {
    /// The way from a value to the operation that the window has for it, or from a named number to its bits. Whether there is no
    /// other one.
    pub(crate) fn as_written(
        &mut self,
        states: &mut States,
        wanted: &Wanted,
        value: NodeId,
        moves: u8,
        ways: &mut Vec<Way>,
    ) -> bool {
        let named = self.named(value);
        let other = match named {
            Some(_) => self.meaning.defined(value),
            None => self.written.get(&value).copied(),
        };
        let Some(other) = other else { return false };
        let renamed = self.renamed(wanted, other);
        ways.push(Way::Equal(states.intern(renamed, moves)));
        // A number in wider containers may be converted.
        named.is_some_and(|width| width.max(8).next_power_of_two() == wanted.container)
    }

    /// The width of a named number, where a value is all of its bits and what they are extended with.
    fn named(&self, mut value: NodeId) -> Option<u32> {
        let dag = &self.meaning.dag;
        while let Node::Slice { of, low: 0, width, .. } = *dag.node(value) {
            if let Node::Arg(arg) = *dag.node(of) {
                let own = dag.arg_widths()[arg as usize];
                return (width == own && self.meaning.is_named(arg)).then_some(own);
            }
            value = of;
        }
        None
    }

    /// Whether nothing is computed for an entry.
    pub(crate) fn is_plain(&self, entry: Entry) -> bool {
        let Entry::Value(value, _) = entry else { return true };
        let dag = &self.meaning.dag;
        matches!(*dag.node(whole_of(dag, value)), Node::Arg(arg) if !self.meaning.is_named(arg))
    }

    /// How many values a register holds bits of.
    pub(crate) fn wholes_in(&self, content: &Content) -> usize {
        let whole = |source: &Source| match *source {
            Source::Value(value) => Source::Value(whole_of(&self.meaning.dag, value)),
            leaf => leaf,
        };
        let mut wholes: Vec<Source> = sources(content).iter().map(whole).collect();
        wholes.sort_unstable();
        wholes.dedup();
        wholes.len()
    }

    /// A program with what named numbers stand for.
    pub(crate) fn unnamed(&mut self, mut program: Program) -> Program {
        let contents = program.steps.iter_mut().map(|step| &mut step.content);
        for entry in contents.chain(program.outputs.iter_mut().map(|(_, content)| content)).flatten() {
            let Entry::Value(value, _) = entry else { continue };
            // Named numbers may be computed from others.
            while let Some(bits) = self.meaning.defined(*value) {
                *value = bits;
            }
        }
        program
    }
}
