//! How a step of the [loop](super::course) learns: everything about it that can be chosen.

use serde::{Deserialize, Serialize};

use super::features::Readings;

/// By what a step chooses maps.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Surrogate {
    /// The decision value of the PNU classifier.
    #[default]
    Pnu,
    /// The spread that the regression of the signed contrasts predicts.
    Ridge,
    /// Nothing: a hash of the map's number. What the others are worth shows beside it.
    Chance,
}

/// What the decision function of the classifier is a sum of; see [`Basis`](super::pnu::Basis).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum BasisKind {
    /// Features, as in the paper.
    #[default]
    Linear,
    /// Bells around unlabelled maps.
    Gauss,
}

/// How the settings of the classifier are chosen; see [`validate`](super::validate).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Validation {
    /// The first of the best, as the method's author has it.
    #[default]
    Author,
    /// The simplest among equals.
    Robust,
}

/// How the class prior is found; see [`prior`](super::prior).
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum PriorRule {
    /// As the method's author estimates it.
    #[default]
    Author,
    /// Without bias; where the labelled maps do not tell, the share of random maps that the labels' threshold calls balanced.
    U,
    /// This share of all maps is balanced.
    Stated(f64),
}

/// How a step learns.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Method {
    /// By what maps are chosen.
    pub surrogate: Surrogate,
    /// How the features are read.
    pub readings: Readings,
    /// What the classifier is a sum of.
    pub basis: BasisKind,
    /// How its settings are chosen.
    pub validation: Validation,
    /// How its class prior is found.
    pub prior: PriorRule,
}

impl Method {
    /// # Errors
    /// If a stated prior leaves a class empty.
    pub fn check(&self) -> Result<(), String> {
        match self.prior {
            PriorRule::Stated(prior) if !(prior > 0.0 && prior < 1.0) => {
                Err(format!("a class prior of {prior} leaves a class empty, expected more than 0 and less than 1"))
            }
            _ => Ok(()),
        }
    }

    /// Names and values for people.
    #[must_use]
    pub fn described(&self) -> Vec<(&'static str, String)> {
        // These are names, which JSON puts in quotation marks.
        let name = |value: serde_json::Result<String>| value.unwrap_or_default().trim_matches('"').to_owned();
        let prior = match self.prior {
            PriorRule::Stated(prior) => prior.to_string(),
            rule => name(serde_json::to_string(&rule)),
        };
        let Readings { ports, nodes, duplicates } = self.readings;
        let readings =
            [serde_json::to_string(&ports), serde_json::to_string(&nodes), serde_json::to_string(&duplicates)];
        let mut all = vec![("surrogate", name(serde_json::to_string(&self.surrogate)))];
        if self.surrogate == Surrogate::Pnu {
            all.push(("basis", name(serde_json::to_string(&self.basis))));
            all.push(("cross-validation", name(serde_json::to_string(&self.validation))));
            all.push(("class prior", prior));
        }
        all.push(("features: ports, nodes, duplicates", readings.map(name).join(", ")));
        all
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn methods_are_described_by_the_names_of_their_options() {
        let method = Method { prior: PriorRule::Stated(0.25), basis: BasisKind::Gauss, ..Method::default() };
        let described: Vec<_> = method.described().into_iter().map(|(_, value)| value).collect();
        assert_eq!(described, ["pnu", "gauss", "author", "0.25", "sea-hex, hist, any"]);
        let ridge = Method { surrogate: Surrogate::Ridge, prior: PriorRule::U, ..method };
        assert_eq!(ridge.described().len(), 2, "a regression has neither prior nor basis");
        assert!(method.check().is_ok());
        for prior in [0.0, 1.0, f64::NAN] {
            assert!(Method { prior: PriorRule::Stated(prior), ..method }.check().is_err());
        }
    }
}
