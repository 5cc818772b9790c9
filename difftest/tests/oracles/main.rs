//! The oracles on hand-made instructions, right and wrong ones.

mod arm;
mod hand_made;
mod hvx;
mod stand_ins;
mod x86;
