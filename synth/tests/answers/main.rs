//! Windows and what is found for them. One program for all of these tests, which is linked once.

mod across;
mod blocks;
mod code;
mod compositions;
mod doubling;
mod floor;
mod halves;
mod innermost;
mod kept;
mod lanes;
mod operands;
mod order;
mod padded;
mod ported;
mod shifts;
mod single;
mod support;
mod tables;
mod traps;
mod windows;
mod zeros;
