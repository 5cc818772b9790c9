//! Nodes as text, for messages and debugging.

use super::dag::{Dag, Node, NodeId};

/// Characters after which a node's text is cut.
const MAX_LENGTH: usize = 2000;

impl Dag {
    /// A node as a formula over the arguments, cut off where it is long.
    pub fn show(&self, id: NodeId) -> String {
        let mut text = String::new();
        self.write(id, &mut text);
        if text.len() > MAX_LENGTH {
            text.truncate(text.floor_char_boundary(MAX_LENGTH));
            text.push('…');
        }
        text
    }

    fn write(&self, id: NodeId, text: &mut String) {
        if text.len() > MAX_LENGTH {
            return;
        }
        match self.node(id) {
            Node::Const(value) => text.push_str(&value.to_string()),
            Node::Arg(arg) => text.push_str(&format!("arg{arg}")),
            Node::Slice { of, low, width, signed } => {
                self.write(*of, text);
                text.push_str(&format!("[{low} +: {width}]{}", if *signed { "s" } else { "" }));
            }
            Node::SliceAt { of, base, low, width, signed } => {
                self.write(*of, text);
                text.push_str(&format!("[at {base} + "));
                self.write(*low, text);
                text.push_str(&format!(" +: {width}]{}", if *signed { "s" } else { "" }));
            }
            Node::Concat(parts) => {
                let parts: Vec<_> = parts.iter().map(|part| part.node).collect();
                self.call("concat", &parts, text);
            }
            Node::Sum { terms, constant } => {
                text.push('(');
                for (term, coefficient) in terms {
                    text.push_str(&format!("{coefficient}*"));
                    self.write(*term, text);
                    text.push_str(" + ");
                }
                text.push_str(&format!("{constant})"));
            }
            Node::Saturate { of, width, signed } => {
                text.push_str(if *signed { "sat.s" } else { "sat.u" });
                text.push_str(&format!("{width}("));
                self.write(*of, text);
                text.push(')');
            }
            Node::Float { float, operands, .. } => self.call(float.op.name(), operands, text),
            node => {
                let debug = format!("{node:?}");
                let name = debug.split(['(', ' ', '{']).next().unwrap_or("").to_lowercase();
                self.call(&name, &node.operands(), text);
            }
        }
    }

    fn call(&self, name: &str, operands: &[NodeId], text: &mut String) {
        text.push_str(name);
        text.push('(');
        for (position, operand) in operands.iter().enumerate() {
            if position > 0 {
                text.push_str(", ");
            }
            self.write(*operand, text);
        }
        text.push(')');
    }
}
