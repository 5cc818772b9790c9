//! The control flow of a function: which blocks are on every way to another, and where loops begin.

use petgraph::algo::dominators::{Dominators, simple_fast};
use petgraph::graph::{DiGraph, NodeIndex};
use petgraph::visit::{DfsEvent, depth_first_search};
use refine::Outline;
use rustc_hash::{FxHashMap, FxHashSet};

/// A function's blocks, by position, as a graph.
pub struct Flow {
    dominators: Dominators<NodeIndex>,
    /// For each block the blocks from which it is entered, in order of the text, each once.
    pub predecessors: Vec<Vec<usize>>,
    headers: FxHashSet<usize>,
    labels: FxHashMap<String, usize>,
}

impl Flow {
    /// The control flow of a function; `None` where a jump's destination is not in the text.
    pub fn new(outline: &Outline) -> Option<Self> {
        let labels: FxHashMap<String, usize> = outline
            .sections
            .iter()
            .enumerate()
            .filter_map(|(at, section)| Some((section.label.clone()?, at)))
            .collect();
        let mut graph = DiGraph::<(), ()>::new();
        let nodes: Vec<NodeIndex> = outline.sections.iter().map(|_| graph.add_node(())).collect();
        let mut predecessors = vec![Vec::new(); nodes.len()];
        for (from, section) in outline.sections.iter().enumerate() {
            for target in section.lines.iter().flat_map(|line| &line.targets) {
                let to = *labels.get(target)?;
                graph.add_edge(nodes[from], nodes[to], ());
                if !predecessors[to].contains(&from) {
                    predecessors[to].push(from);
                }
            }
        }
        let entry = *nodes.first()?;
        let mut headers = FxHashSet::default();
        depth_first_search(&graph, [entry], |event| {
            if let DfsEvent::BackEdge(_, to) = event {
                headers.insert(to.index());
            }
        });
        Some(Self { dominators: simple_fast(&graph, entry), predecessors, headers, labels })
    }

    /// The block with that label. A number that no block has is the entry's.
    pub fn block(&self, label: &str) -> Option<usize> {
        let entry = label.bytes().all(|byte| byte.is_ascii_digit()).then_some(0);
        self.labels.get(label).copied().or(entry)
    }

    /// Whether every way to the block `to` is through the block `of`. Neither is where no way leads there.
    pub fn dominates(&self, of: usize, to: usize) -> bool {
        let mut above = self.dominators.dominators(NodeIndex::new(to));
        above.as_mut().is_some_and(|above| above.any(|block| block.index() == of))
    }

    /// Whether a block is entered again from what follows it.
    pub fn is_header(&self, block: usize) -> bool {
        self.headers.contains(&block)
    }

    /// The nearest block on every way to a block, besides itself.
    pub fn above(&self, block: usize) -> Option<usize> {
        self.dominators.immediate_dominator(NodeIndex::new(block)).map(|block| block.index())
    }
}
