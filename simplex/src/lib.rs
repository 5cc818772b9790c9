#![doc = include_str!("../README.md")]
#![deny(unsafe_code)]

mod affine;
mod basis;
mod coalesce;
mod count;
mod element;
mod gcd;
mod integer;
mod kernel;
mod matrix;
#[doc(hidden)]
pub mod measure;
mod occupancy;
mod optimize;
mod precision;
mod rational;
mod redundancy;
mod set;
mod simplex;
mod tableau;

pub use affine::{Affine, Constraint};
pub use coalesce::coalesce;
pub use dashu_int::IBig;
pub use integer::IntegerPoint;
pub use precision::Precision;
pub use rational::Rational;
pub use set::{BasicSet, Points};
pub use simplex::{ConstraintId, Optimum, Signs, Simplex, Snapshot};
