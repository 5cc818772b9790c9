//! Where the unknowns of a tableau are: in which row or column.

/// A variable or the value of a constraint's form. Variables have the first numbers.
pub(crate) type Unknown = usize;

/// Where an unknown is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Position {
    /// It is a row's value.
    Row(usize),
    /// Rows are forms of it.
    Column(usize),
    /// It is zero at all points and has left the tableau.
    Zero,
    /// The other constraints imply that it is not negative; it has left the tableau.
    Redundant,
}

/// The places of all unknowns, both ways.
#[derive(Debug, Clone)]
pub(crate) struct Basis {
    variables: usize,
    positions: Vec<Position>,
    /// The unknown of each row; `None` for a form that is only being measured.
    rows: Vec<Option<Unknown>>,
    columns: Vec<Unknown>,
}

impl Basis {
    /// Every variable has a column; there is room for a number of constraints.
    pub(crate) fn new(variables: usize, room: usize) -> Self {
        let mut positions = Vec::with_capacity(variables + room);
        positions.extend((0..variables).map(Position::Column));
        Self { variables, positions, rows: Vec::with_capacity(room), columns: (0..variables).collect() }
    }

    #[inline]
    pub(crate) fn variables(&self) -> usize {
        self.variables
    }

    /// All unknowns: the variables and every constraint that was ever added.
    #[inline]
    pub(crate) fn unknowns(&self) -> usize {
        self.positions.len()
    }

    #[inline]
    pub(crate) fn position(&self, unknown: Unknown) -> Position {
        self.positions[unknown]
    }

    #[inline]
    pub(crate) fn columns(&self) -> &[Unknown] {
        &self.columns
    }

    /// Whether the unknown must not be negative: all constraints, no variable.
    #[inline]
    pub(crate) fn is_restricted(&self, unknown: Unknown) -> bool {
        unknown >= self.variables
    }

    /// The restricted unknown of a row.
    #[inline]
    pub(crate) fn restricted_row(&self, row: usize) -> Option<Unknown> {
        self.rows[row].filter(|&unknown| self.is_restricted(unknown))
    }

    /// A new constraint, whose row is the last.
    pub(crate) fn push_constraint(&mut self) -> Unknown {
        let unknown = self.positions.len();
        self.positions.push(Position::Row(self.rows.len()));
        self.rows.push(Some(unknown));
        unknown
    }

    /// A row for a form that is only being measured.
    pub(crate) fn push_form(&mut self) {
        self.rows.push(None);
    }

    /// A row and a column exchange their unknowns. The row must belong to an unknown.
    pub(crate) fn exchange(&mut self, row: usize, column: usize) {
        let leaving = self.rows[row].unwrap_or_else(|| unreachable!("a measured form stays in its row"));
        let entering = std::mem::replace(&mut self.columns[column], leaving);
        self.rows[row] = Some(entering);
        self.positions[leaving] = Position::Column(column);
        self.positions[entering] = Position::Row(row);
    }

    /// A row leaves the tableau, and the last row gets its number.
    pub(crate) fn remove_row(&mut self, row: usize, position: Position) {
        if let Some(unknown) = self.rows.swap_remove(row) {
            self.positions[unknown] = position;
        }
        if let Some(&Some(moved)) = self.rows.get(row) {
            self.positions[moved] = Position::Row(row);
        }
    }

    /// A column leaves the tableau because it is zero, and the last column gets its number.
    pub(crate) fn remove_column(&mut self, column: usize) {
        let unknown = self.columns.swap_remove(column);
        self.positions[unknown] = Position::Zero;
        if let Some(&moved) = self.columns.get(column) {
            self.positions[moved] = Position::Column(column);
        }
    }
}
