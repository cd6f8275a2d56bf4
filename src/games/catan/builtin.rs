//! The maps that come with the program.

use super::file;
use super::map::Map;

/// A map of this crate and its name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Builtin {
    /// The name of its file in `maps/`, without the ending.
    pub name: &'static str,
    /// The map.
    pub map: Map,
}

macro_rules! files {
    ($($name:literal)*) => {
        [$(($name, include_str!(concat!("../../../maps/", $name, ".catan")))),*]
    };
}

/// Names and texts. Benchmarks use the first.
static FILES: [(&str, &str); 6] = files! { "beginner" "spiral" "spread" "clusters" "rich-corner" "lopsided" };

/// All built-in maps; benchmarks use the first.
#[must_use]
pub fn maps() -> Vec<Map> {
    named().into_iter().map(|builtin| builtin.map).collect()
}

/// All built-in maps with their names.
#[must_use]
pub fn named() -> Vec<Builtin> {
    // A test makes sure that none is left out.
    FILES.iter().filter_map(|&(name, _)| Some(Builtin { name, map: get(name)? })).collect()
}

/// The built-in map of this name.
///
/// ```
/// let map = fairground::games::catan::builtin::get("beginner").unwrap();
/// assert_eq!(map.tokens[..3], [10, 2, 9]);
/// ```
#[must_use]
pub fn get(name: &str) -> Option<Map> {
    let &(_, text) = FILES.iter().find(|(known, _)| *known == name)?;
    file::parse(text.as_bytes()).ok().map(|parsed| parsed.map)
}
