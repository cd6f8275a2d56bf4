//! What the maps that come with the program have in common.

/// A map of this crate and its name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Builtin<M> {
    /// The name of its file in `maps/`, without the ending.
    pub name: &'static str,
    /// The map.
    pub map: M,
}

/// The functions of a game's built-in maps, given the ending and the names of their files in `maps/`.
///
/// Where it is used there must be a type `Map` and a module `file` that parses it.
macro_rules! builtin_maps {
    ($ending:literal: $($name:literal)*) => {
        /// Names and texts.
        static FILES: &[(&str, &str)] = &[
            $(($name, include_str!(concat!(env!("CARGO_MANIFEST_DIR"), "/maps/", $name, ".", $ending)))),*
        ];

        /// All built-in maps; benchmarks use the first.
        #[must_use]
        pub fn maps() -> Vec<Map> {
            named().into_iter().map(|builtin| builtin.map).collect()
        }

        /// All built-in maps with their names.
        #[must_use]
        pub fn named() -> Vec<Builtin<Map>> {
            // A test makes sure that none is left out.
            FILES.iter().filter_map(|&(name, _)| Some(Builtin { name, map: get(name)? })).collect()
        }

        /// The built-in map of this name.
        #[must_use]
        pub fn get(name: &str) -> Option<Map> {
            let &(_, text) = FILES.iter().find(|(known, _)| *known == name)?;
            file::parse(text.as_bytes()).ok().map(|parsed| parsed.map)
        }
    };
}

pub(super) use builtin_maps;
