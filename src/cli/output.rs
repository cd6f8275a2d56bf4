//! Text tables, CSV, and fields of JSON.

use serde::Serializer;
use serde_json::Value;

/// How results are written.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, clap::ValueEnum)]
pub enum Format {
    /// Aligned columns for people
    #[default]
    Table,
    /// One JSON object per line
    Json,
    /// Comma-separated values with a header
    Csv,
}

/// A cell of a table and the head of its column.
#[derive(Clone, Debug)]
pub struct Column {
    /// The head.
    pub head: String,
    /// How wide the column is at least.
    pub width: usize,
    /// The cell.
    pub text: String,
}

impl Column {
    /// A cell under a head; the column is as wide as the wider of them, and at least so wide.
    pub fn new(head: impl Into<String>, width: usize, text: impl Into<String>) -> Self {
        let (head, text) = (head.into(), text.into());
        let width = width.max(head.chars().count()).max(text.chars().count());
        Self { head, width, text }
    }
}

/// Columns that are written row by row: the widths are fixed beforehand.
#[derive(Debug)]
pub struct Table {
    widths: Vec<usize>,
}

impl Table {
    /// A table whose columns are at least this wide; the first is aligned to the left, the others to the right.
    pub const fn new(widths: Vec<usize>) -> Self {
        Self { widths }
    }

    /// A whole table, as wide as its cells.
    pub fn text(heads: &[String], rows: &[Vec<String>]) -> String {
        let width = |column: usize| {
            let cells = rows.iter().filter_map(|row| row.get(column)).map(|cell| cell.chars().count());
            cells.chain([heads[column].chars().count()]).max().unwrap_or(0)
        };
        let table = Self::new((0..heads.len()).map(width).collect());
        let lines = std::iter::once(table.row(heads)).chain(rows.iter().map(|row| table.row(row)));
        lines.map(|line| line + "\n").collect()
    }

    /// One line of the table, without the line end.
    pub fn row(&self, cells: &[impl AsRef<str>]) -> String {
        let mut line = String::new();
        for (column, (cell, &width)) in cells.iter().zip(&self.widths).enumerate() {
            let cell = cell.as_ref();
            if column == 0 {
                line += &format!("{cell:<width$}");
            } else {
                line += &format!("  {cell:>width$}");
            }
        }
        line.trim_end().to_owned()
    }
}

/// A line of CSV, without the line end. Cells are quoted where they must be.
pub fn csv(cells: &[String]) -> String {
    let quoted = cells.iter().map(|cell| {
        if cell.contains(['"', ',', '\n', '\r']) { format!("\"{}\"", cell.replace('"', "\"\"")) } else { cell.clone() }
    });
    quoted.collect::<Vec<_>>().join(",")
}

/// A value as a cell of CSV: what is unknown is empty.
pub fn csv_cell(value: &Value) -> String {
    match value {
        Value::Null => String::new(),
        Value::String(text) => text.clone(),
        other => other.to_string(),
    }
}

/// Every pair is a field of the object.
pub fn as_entries<S: Serializer>(fields: &[(&'static str, Value)], serializer: S) -> Result<S::Ok, S::Error> {
    serializer.collect_map(fields.iter().map(|(name, value)| (name, value)))
}

/// A whole number with separators: 1,234,567.
pub fn grouped(number: u64) -> String {
    let digits = number.to_string();
    let mut text = String::new();
    for (index, digit) in digits.chars().enumerate() {
        if index > 0 && (digits.len() - index).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_grouped_by_thousands() {
        assert_eq!([0, 999, 1000, 1_234_567].map(grouped), ["0", "999", "1,000", "1,234,567"]);
    }

    #[test]
    fn csv_quotes_only_what_needs_it() {
        let cells = ["a", "b,c", "d\"e"].map(String::from);
        assert_eq!(csv(&cells), "a,\"b,c\",\"d\"\"e\"");
    }

    #[test]
    fn table_aligns_names_left_and_numbers_right() {
        assert_eq!(Table::new(vec![4, 3]).row(&["ab", "7"]), "ab      7");
    }
}
