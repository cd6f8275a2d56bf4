//! What was found out about a map, for anyone to check.

use serde::{Deserialize, Serialize};

use super::{LOOK, MAX_GAMES, Plan, Record, Verdict, check_bound, map_of, policy, push};
use crate::batch::{Batch, EvaluateError, Evaluator, Watch};
use crate::games::Game;
use crate::games::catan::tables::SEATS;
use crate::games::catan::{Catan, Position};
use crate::runs::digest;
use crate::stats::seats::evidence::{Correction, DROP};

/// What was found out about a map, and everything that is needed to play the games again.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Certificate {
    /// What became of the map.
    pub verdict: Verdict,
    /// What the map is called.
    pub name: String,
    /// The bound on the true spread, in percentage points.
    pub sigma_points: f64,
    /// How often a certificate may be wrong.
    pub level: f64,
    /// How many maps were taken into account.
    pub correction: Correction,
    /// Maps that were tested together.
    pub maps: usize,
    /// Those of them that were certified at the time of the verdict.
    pub certified_maps: usize,
    /// The players by seat.
    pub players: [String; SEATS],
    /// Turns after which a game is cut off.
    pub turn_cap: u32,
    /// The seed of the games.
    pub seed: u64,
    /// Games that were played.
    pub games: u64,
    /// Wins by seat.
    pub seat_wins: [u64; SEATS],
    /// Games that were cut off, which nobody won.
    pub truncated: u64,
    /// The spread of the win rates, in percentage points.
    pub spread_points: f64,
    /// The evidence that the true spread is below the bound.
    pub e_value: f64,
    /// The map.
    pub map: serde_json::Value,
    /// A number that identifies the map.
    pub map_hash: String,
    /// The rules under which a seed gives these games.
    pub rules_version: String,
    /// The program's version.
    pub program_version: String,
    /// A number that changes with everything above.
    pub digest: String,
}

/// Why a file is not a certificate.
#[derive(Debug, thiserror::Error)]
#[error("this is not a certificate: {0}")]
pub struct CertificateError(#[from] serde_json::Error);

/// How far numbers may be off that are computed again, perhaps by other libraries for logarithms.
pub(super) const ROUNDING: f64 = 1e-6;

impl Certificate {
    pub(super) fn new(
        plan: &Plan,
        map: usize,
        record: &Record,
        key: u64,
        verdict: Verdict,
        certified_maps: usize,
    ) -> Self {
        let (name, map) = &plan.maps[map];
        let mut certificate = Self {
            verdict,
            name: name.clone(),
            sigma_points: plan.sigma_points,
            level: plan.level,
            correction: plan.correction,
            maps: plan.entries(),
            certified_maps,
            players: plan.players.clone(),
            turn_cap: plan.turn_cap,
            seed: plan.seed,
            games: record.games,
            seat_wins: record.wins,
            truncated: record.games - record.decided(),
            // Without games there is no spread, and JSON has no word for that.
            spread_points: if record.decided() == 0 { 0.0 } else { 100.0 * record.spread() },
            e_value: record.log_e_value(plan.sigma_points).exp().min(f64::MAX),
            map: map.clone(),
            map_hash: hash(key),
            rules_version: Catan::RULES_VERSION.into(),
            program_version: env!("CARGO_PKG_VERSION").into(),
            digest: String::new(),
        };
        certificate.digest = certificate.computed_digest();
        certificate
    }

    fn computed_digest(&self) -> String {
        let bare = Self { digest: String::new(), ..self.clone() };
        // Strings and finite numbers only: there is nothing JSON could not hold.
        digest(&serde_json::to_vec(&bare).unwrap_or_default())
    }

    /// Reads a certificate.
    ///
    /// # Errors
    /// If it is not one.
    pub fn read(bytes: &[u8]) -> Result<Self, CertificateError> {
        Ok(serde_json::from_slice(bytes)?)
    }

    /// The text of the file.
    #[must_use]
    pub fn write(&self) -> String {
        serde_json::to_string_pretty(self).unwrap_or_default() + "\n"
    }

    /// The games it claims, as a record.
    const fn record(&self) -> Record {
        Record { games: self.games, wins: self.seat_wins, verdict: Some((self.verdict, self.certified_maps)) }
    }

    /// Checks everything that is stated and plays the games again. Says what is wrong, in a sentence; `None` if nothing is.
    ///
    /// # Errors
    /// If the GPU fails or the watcher asks to stop.
    pub fn verify(&self, evaluator: &Evaluator, watch: &dyn Watch) -> Result<Option<String>, EvaluateError> {
        let (policy, start) = match self.check() {
            Ok(stated) => stated,
            Err(why) => return Ok(Some(why)),
        };
        let mut batch = Batch::<Catan>::new(policy, self.seed);
        push(&mut batch, &start, 0, self.games);
        let tallies = evaluator.evaluate_watched(&batch, watch)?.tallies;
        let wins: Vec<_> = tallies.iter().flat_map(|tally| &tally.wins[..SEATS]).copied().collect();
        if wins != self.seat_wins {
            return Ok(Some(format!(
                "played again with seed {}, the seats win {wins:?} of {} games, not {:?}",
                self.seed, self.games, self.seat_wins
            )));
        }
        let is_whole = self.digest == self.computed_digest();
        let why = "it was changed after it was written: its digest does not fit, though the games can be repeated";
        Ok((!is_whole).then(|| why.into()))
    }

    /// Everything that can be checked without playing.
    fn check(&self) -> Result<(crate::games::catan::Policy, Position), String> {
        if self.rules_version != Catan::RULES_VERSION {
            return Err(format!(
                "its games were played under the rules '{}', but these are '{}', so they cannot be repeated",
                self.rules_version,
                Catan::RULES_VERSION
            ));
        }
        let map = map_of(&self.map).map_err(|why| format!("its map is not one: {why}"))?;
        let start = Position::start(&map);
        let found = hash(start.key());
        if found != self.map_hash {
            return Err(format!("its map has the hash {found}, not {}: another map was certified", self.map_hash));
        }
        let policy = policy(&self.players, self.turn_cap).map_err(|error| error.to_string())?;
        check_bound(self.sigma_points, self.level).map_err(|error| error.to_string())?;
        let wins = self.seat_wins.iter().try_fold(self.truncated, |sum, &wins| sum.checked_add(wins));
        if wins != Some(self.games) || self.games > MAX_GAMES {
            return Err(format!(
                "seat wins {:?} and {} games that were cut off do not add up to {} games",
                self.seat_wins, self.truncated, self.games
            ));
        }
        let record = self.record();
        let spread = if record.decided() == 0 { 0.0 } else { 100.0 * record.spread() };
        if (spread - self.spread_points).abs() > ROUNDING * spread {
            return Err(format!("the spread of its seat wins is {spread} points, not {}", self.spread_points));
        }
        let log_e = record.log_e_value(self.sigma_points);
        let e_value = log_e.exp().min(f64::MAX);
        if (e_value - self.e_value).abs() > ROUNDING * e_value {
            return Err(format!("the E value of its seat wins is {e_value}, not {}", self.e_value));
        }
        self.check_verdict(log_e)?;
        Ok((policy, start))
    }

    fn check_verdict(&self, log_e: f64) -> Result<(), String> {
        if self.certified_maps > self.maps || self.maps == 0 {
            return Err(format!("{} of {} maps cannot be certified", self.certified_maps, self.maps));
        }
        let threshold = self.correction.log_threshold(self.maps, self.certified_maps, self.level);
        let is_enough = log_e >= threshold - ROUNDING && self.certified_maps > 0 && self.record().decided() >= LOOK;
        let verdict = if is_enough {
            Verdict::Certified
        } else if log_e <= DROP.ln() + ROUNDING {
            Verdict::Dropped
        } else {
            Verdict::Undecided
        };
        if verdict == self.verdict {
            return Ok(());
        }
        Err(format!(
            "an E value of {:.4} does not make a map '{}': {:.4} is asked for at level {} with {} of {} maps certified",
            self.e_value,
            self.verdict.name(),
            threshold.exp(),
            self.level,
            self.certified_maps,
            self.maps
        ))
    }
}

fn hash(key: u64) -> String {
    format!("{key:016x}")
}
