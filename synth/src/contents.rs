//! What registers hold: for each container of a register the element, value or constant that is wanted there.

use std::rc::Rc;

use hydride_ir::exact::NodeId;
use rustc_hash::FxHashMap;
use search::Type;

use crate::table::OpId;
use crate::window::{Element, Meaning};

/// What one container holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, serde::Serialize, serde::Deserialize)]
pub enum Entry {
    /// Nothing that matters.
    Any,
    /// A value that is the same in every lane; the node is within the container's bits.
    Uniform(NodeId),
    /// An element of a leaf, whose width is the container's.
    Element(Element),
    /// A value in a lane of its family.
    Value(NodeId, u32),
}

impl Entry {
    /// What is held, whatever the lane: entries of one source can be computed together.
    pub fn source(self) -> Option<Source> {
        match self {
            Entry::Any | Entry::Uniform(_) => None,
            Entry::Element(element) => Some(Source::Leaf(element.leaf)),
            Entry::Value(value, _) => Some(Source::Value(value)),
        }
    }

    /// The value, where it is one that is the same in every lane.
    pub fn uniform(self) -> Option<NodeId> {
        match self {
            Entry::Uniform(value) => Some(value),
            Entry::Any | Entry::Element(_) | Entry::Value(..) => None,
        }
    }

    /// What serves both; `None` where they differ.
    pub fn joined(self, other: Self) -> Option<Self> {
        match (self, other) {
            (Entry::Any, own) | (own, Entry::Any) => Some(own),
            _ => (self == other).then_some(self),
        }
    }

    /// The bits that are held, over whole leaves; `None` where they do not matter.
    pub(crate) fn bits(self, meaning: &mut Meaning<'_>) -> Option<NodeId> {
        match self {
            Entry::Any => None,
            Entry::Uniform(value) => Some(meaning.at(value, 0)),
            Entry::Value(value, lane) => Some(meaning.at(value, lane)),
            Entry::Element(element) => Some(meaning.element_bits(element)),
        }
    }

    /// The lane or element of its source; 0 where it has none.
    pub fn lane(self) -> u32 {
        match self {
            Entry::Any | Entry::Uniform(_) => 0,
            Entry::Element(element) => element.index,
            Entry::Value(_, lane) => lane,
        }
    }
}

/// A register that holds a leaf, or one of several that do: the leaf, and the register's number.
pub(crate) type Register = (u32, u32);

/// What an instruction gives for whole leaves.
pub(crate) struct Alone {
    /// The operation.
    pub op: OpId,
    /// What each register that it reads is.
    pub registers: Vec<Register>,
    /// All bits of the result.
    pub value: NodeId,
}

/// Where entries of a register come from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Source {
    /// A leaf.
    Leaf(u32),
    /// A value.
    Value(NodeId),
}

/// The containers of one register, lowest first.
pub type Content = Vec<Entry>;

/// Registers of one type with containers of one width, wanted together.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Wanted {
    /// The registers' type.
    pub ty: Type,
    /// Width of a container in bits.
    pub container: u32,
    /// Each register's containers.
    pub registers: Vec<Content>,
}

impl Wanted {
    /// The only value, where all registers hold lanes of one.
    pub fn only_value(&self) -> Option<NodeId> {
        let mut sources = self.registers.iter().flatten().filter_map(|entry| entry.source());
        let Source::Value(value) = sources.next()? else { return None };
        sources.all(|other| other == Source::Value(value)).then_some(value)
    }

    /// Whether registers hold lanes of values alone, beside what does not matter.
    pub(crate) fn holds_values_alone(&self) -> bool {
        self.registers.iter().flatten().all(|entry| matches!(entry, Entry::Any | Entry::Value(..)))
    }

    /// Bits of the registers in which elements of a leaf lie that are wanted, from the first to the last one.
    pub(crate) fn span(&self) -> u32 {
        let mut elements = self.registers.iter().flatten().filter_map(|entry| match entry {
            Entry::Element(element) => Some((element.index, element.index)),
            _ => None,
        });
        let all = elements.next().map(|first| {
            elements.fold(first, |(least, most), (index, _)| (least.min(index), most.max(index)))
        });
        let bits = all.map_or(0, |(least, most)| (most - least + 1) * self.container);
        bits.next_multiple_of(self.ty.width)
    }

    /// All values that registers hold lanes of.
    pub fn values(&self) -> Vec<NodeId> {
        let mut values: Vec<NodeId> = self
            .registers
            .iter()
            .flatten()
            .filter_map(|entry| match entry {
                Entry::Value(value, _) => Some(*value),
                _ => None,
            })
            .collect();
        values.sort_unstable();
        values.dedup();
        values
    }

    /// Whether nothing in it changes from lane to lane.
    pub fn is_constant(&self) -> bool {
        self.registers.iter().flatten().all(|entry| entry.source().is_none())
    }

    /// For each register the leaf and its element that the first container would hold, where each register is a run of
    /// elements in memory.
    pub fn loads(&self) -> Option<Vec<(u32, i64)>> {
        self.registers
            .iter()
            .map(|content| {
                let mut start = None;
                for (position, entry) in content.iter().enumerate() {
                    let Entry::Element(Element { leaf, index }) = *entry else {
                        if *entry == Entry::Any {
                            continue;
                        }
                        return None;
                    };
                    let own = (leaf, i64::from(index) - position as i64);
                    if *start.get_or_insert(own) != own {
                        return None;
                    }
                }
                start
            })
            .collect()
    }
}

/// A state's number.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct StateId(pub u32);

/// All states, each once.
#[derive(Default)]
pub struct States {
    states: Vec<Rc<(Wanted, u8)>>,
    ids: FxHashMap<Rc<(Wanted, u8)>, StateId>,
    /// Whether registers that lie in their leaves in part are states of their own, as nothing is done for them.
    apart: bool,
}

impl States {
    /// No states yet; `apart` says whether registers that lie in their leaves in part are states of their own.
    pub fn new(apart: bool) -> Self {
        Self { apart, ..Self::default() }
    }

    /// The state that wants this, and may still move elements so many times before something is computed.
    pub fn intern(&mut self, wanted: Wanted, moves: u8) -> StateId {
        let key = Rc::new((wanted, moves));
        *self.ids.entry(key).or_insert_with_key(|key| {
            self.states.push(key.clone());
            StateId(self.states.len() as u32 - 1)
        })
    }

    /// What a state wants.
    pub fn wanted(&self, id: StateId) -> &Wanted {
        &self.states[id.0 as usize].0
    }

    /// How often its elements may be moved.
    pub fn moves(&self, id: StateId) -> u8 {
        self.states[id.0 as usize].1
    }

    /// Number of states.
    pub fn count(&self) -> usize {
        self.states.len()
    }
}

/// The sources of a register's containers, each once.
pub(crate) fn sources(content: &Content) -> Vec<Source> {
    let mut found: Vec<Source> = Vec::new();
    for source in content.iter().filter_map(|entry| entry.source()) {
        if found.last() != Some(&source) && !found.contains(&source) {
            found.push(source);
        }
    }
    found
}

/// Whether a register holds neighboring lanes of one source, in order.
pub(crate) fn in_order(content: &Content) -> bool {
    if sources(content).len() > 1 {
        return false;
    }
    let mut start = None;
    content.iter().enumerate().all(|(position, entry)| {
        let place = match entry {
            Entry::Any | Entry::Uniform(_) => return true,
            Entry::Element(element) => i64::from(element.index),
            Entry::Value(_, lane) => i64::from(*lane),
        };
        *start.get_or_insert(place - position as i64) == place - position as i64
    })
}

/// Whether a register holds anything but constants.
pub(crate) fn has_source(content: &Content) -> bool {
    content.iter().any(|entry| entry.source().is_some())
}

/// Makes a register hold what another one does too; `false`, with nothing done, where they differ.
pub(crate) fn join(one: &mut Content, other: &Content) -> bool {
    let is_same = one.iter().zip(other).all(|(own, other)| own.joined(*other).is_some());
    if is_same {
        fill(one, other);
    }
    is_same
}

/// Gives containers of which nothing was wanted what another user wants there.
pub(crate) fn fill(content: &mut Content, more: &Content) {
    for (own, more) in content.iter_mut().zip(more) {
        if *own == Entry::Any {
            *own = *more;
        }
    }
}

/// How many containers of registers hold something, and how many there are.
pub(crate) fn filling<'a>(registers: impl Iterator<Item = &'a Content>) -> (usize, usize) {
    registers.flatten().fold((0, 0), |(held, all), entry| (held + usize::from(*entry != Entry::Any), all + 1))
}

/// Whether a register holds elements of one of the registers that a leaf is in order, each in its place, and is open elsewhere.
fn is_at_home(content: &Content) -> bool {
    let count = content.len() as u32;
    let mut first = None;
    let mut in_place = |(position, entry): (u32, &Entry)| match entry {
        Entry::Any => true,
        Entry::Element(element) => element
            .index
            .checked_sub(position)
            .is_some_and(|start| start.is_multiple_of(count) && *first.get_or_insert(start) == start),
        _ => false,
    };
    content.contains(&Entry::Any) && (0..).zip(content).all(&mut in_place)
}

/// A register of a state.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Place {
    /// The state.
    pub state: StateId,
    /// The register's number in it.
    pub register: u32,
    /// Whether its lower half alone is meant.
    pub low: bool,
}

/// What registers of one state have in common: their sources, and whether they lie in their leaf.
type Kind = (Vec<Source>, bool);

/// Registers that are wanted, put into as few states as their sources allow: registers with the same sources are one
/// state, and equal ones are one register.
pub fn gather(
    states: &mut States,
    ty: Type,
    container: u32,
    contents: Vec<Content>,
    moves: u8,
) -> Vec<Place> {
    // Most operands are one register.
    if let [_] = contents[..] {
        let state = states.intern(Wanted { ty, container, registers: contents }, moves);
        return vec![Place { state, register: 0, low: false }];
    }
    let apart = states.apart;
    let key = |content: &Content| {
        let mut sources = sources(content);
        sources.sort_unstable();
        (sources, apart && is_at_home(content))
    };
    let mut groups: Vec<(Kind, Vec<Content>)> = Vec::new();
    let mut places: Vec<(usize, u32)> = Vec::new();
    for content in contents {
        let own = key(&content);
        let at = groups.iter().position(|(key, _)| *key == own).unwrap_or_else(|| {
            groups.push((own, Vec::new()));
            groups.len() - 1
        });
        let group = &mut groups[at].1;
        let register = group.iter().position(|other| *other == content).unwrap_or_else(|| {
            group.push(content);
            group.len() - 1
        });
        places.push((at, register as u32));
    }
    // Registers stand in the order of their lanes, whoever reads them.
    let mut ranks: Vec<Vec<u32>> = Vec::new();
    let mut ids = Vec::new();
    for (_, registers) in groups {
        let mut order: Vec<usize> = (0..registers.len()).collect();
        let first = |at: &usize| registers[*at].iter().find(|entry| entry.source().is_some()).copied();
        order.sort_by_key(first);
        let mut rank = vec![0; registers.len()];
        order.iter().enumerate().for_each(|(place, at)| rank[*at] = place as u32);
        let sorted = order.iter().map(|at| registers[*at].clone()).collect();
        ranks.push(rank);
        ids.push(states.intern(Wanted { ty, container, registers: sorted }, moves));
    }
    let place = |(group, register): (usize, u32)| Place {
        state: ids[group],
        register: ranks[group][register as usize],
        low: false,
    };
    places.into_iter().map(place).collect()
}
