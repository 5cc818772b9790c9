//! Problems, and how they are written for the other libraries.

use std::fmt::Write;

use simplex::{Affine, BasicSet, Constraint, IBig};

/// A set as rows: the coefficients and then the constant, equalities first.
#[derive(Clone, Debug, Default)]
pub struct Rows {
    pub variables: usize,
    pub equalities: Vec<Vec<i64>>,
    pub inequalities: Vec<Vec<i64>>,
}

impl Rows {
    pub fn set(&self) -> BasicSet {
        let form = |row: &Vec<i64>| Affine::new(row[..self.variables].iter().copied(), row[self.variables]);
        let equalities = self.equalities.iter().map(|row| Constraint::Equality(form(row)));
        let inequalities = self.inequalities.iter().map(|row| Constraint::Inequality(form(row)));
        BasicSet { dimension: self.variables, constraints: equalities.chain(inequalities).collect() }
    }

    fn write(&self, text: &mut String) {
        let _ =
            write!(text, " {} {}", self.equalities.len() + self.inequalities.len(), self.equalities.len());
        for row in self.equalities.iter().chain(&self.inequalities) {
            write_row(row, text);
        }
        text.push('\n');
    }
}

fn write_row(row: &[i64], text: &mut String) {
    for value in row {
        let _ = write!(text, " {value}");
    }
}

#[derive(Clone, Debug)]
pub enum Problem {
    /// The least value of a form on a set.
    Optimum(Rows, Vec<i64>),
    /// Whether a set has an integer point.
    Integer(Rows),
    /// The number of sets after coalescing.
    Coalesce(Vec<Rows>),
    /// Whether two unions have the same integer points.
    Equal(Vec<Rows>, Vec<BasicSet>),
    /// Pivots of a matrix, whose rows begin with the constant, at places of row and column.
    Pivot(Vec<Vec<i64>>, Vec<(usize, usize)>),
}

impl Problem {
    /// The first word of the other libraries' input.
    pub fn kind(&self) -> &'static str {
        match self {
            Self::Optimum(..) => "optimum",
            Self::Integer(_) => "integer",
            Self::Coalesce(_) => "coalesce",
            Self::Equal(..) => "equal",
            Self::Pivot(..) => "pivot",
        }
    }

    pub fn write(&self, text: &mut String) {
        match self {
            Self::Optimum(rows, objective) => {
                let _ = write!(text, "{}", rows.variables);
                rows.write(text);
                write_row(objective, text);
            }
            Self::Integer(rows) => {
                let _ = write!(text, "{}", rows.variables);
                rows.write(text);
            }
            Self::Coalesce(sets) => write_union(sets[0].variables, sets, text),
            Self::Equal(sets, others) => {
                write_union(sets[0].variables, sets, text);
                let _ = write!(text, "{}", others.len());
                others.iter().for_each(|set| write_set(set, text));
            }
            Self::Pivot(rows, places) => {
                let _ = write!(text, "{} {}", rows[0].len() - 1, rows.len());
                rows.iter().for_each(|row| write_row(row, text));
                let _ = write!(text, " {}", places.len());
                for (row, column) in places {
                    let _ = write!(text, " {row} {column}");
                }
            }
        }
        text.push('\n');
    }
}

fn write_union(variables: usize, sets: &[Rows], text: &mut String) {
    let _ = write!(text, "{variables} {}", sets.len());
    sets.iter().for_each(|set| set.write(text));
}

fn write_set(set: &BasicSet, text: &mut String) {
    let (equalities, inequalities): (Vec<&Constraint>, Vec<&Constraint>) =
        set.constraints.iter().partition(|constraint| matches!(constraint, Constraint::Equality(_)));
    let _ = write!(text, " {} {}", set.constraints.len(), equalities.len());
    for constraint in equalities.into_iter().chain(inequalities) {
        let form = constraint.affine();
        for value in form.coefficients.iter().chain([&form.constant]).collect::<Vec<&IBig>>() {
            let _ = write!(text, " {value}");
        }
    }
    text.push('\n');
}
