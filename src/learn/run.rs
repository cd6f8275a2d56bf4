//! A [course](super::course) in a run directory, from which it can go on after any interruption to the same end.

use std::time::{Instant, SystemTime, UNIX_EPOCH};

use serde::{Deserialize, Serialize};

use super::course::{CourseError, LEAST_MAPS, Member, Origin, Settings, Taken, label, play, step};
use super::method::Method;
use super::two_means::TwoMeans;
use super::unlabelled::Unlabelled;
use crate::batch::{Evaluator, Watch};
use crate::certify;
use crate::games::Game as _;
use crate::games::catan::tables::SEATS;
use crate::games::catan::{Catan, Map, file};
use crate::runs::{CHECKPOINT, Directory, DirectoryError, HISTORY, MANIFEST, Manifest, TIMING};

/// Changes whenever the same plan may give other maps.
const METHOD_VERSION: &str = "learn-2";

/// The version of everything that decides what a plan gives.
#[must_use]
pub fn rules_version() -> String {
    format!("{} {METHOD_VERSION}", Catan::RULES_VERSION)
}

/// What a run is to do.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Plan {
    /// The players' strategies by seat.
    pub players: [String; SEATS],
    /// Turns after which a game is cut off.
    pub turn_cap: u32,
    /// Games of each map.
    pub games: u64,
    /// Fresh random maps that are scored in each step.
    pub maps: u64,
    /// Maps that are chosen from either end.
    pub chosen: usize,
    /// Steps.
    pub steps: usize,
    /// How a step learns.
    pub method: Method,
    /// The seed of maps, folds and games.
    pub seed: u64,
    /// The maps to begin with: what they are called, and what they are.
    pub seeds: Vec<(String, serde_json::Value)>,
}

impl Plan {
    /// # Errors
    /// If there is too little to learn from, or a setting is wrong.
    pub fn check(&self) -> Result<(), String> {
        self.settings()?;
        self.method.check()?;
        self.seed_maps()?;
        if self.seeds.len() < LEAST_MAPS {
            return Err(CourseError::TooFew(self.seeds.len()).to_string());
        }
        if self.games < 2 || self.chosen == 0 || self.steps == 0 {
            return Err("expected at least two games of each map, one map from either end, and one step".into());
        }
        if self.maps < 2 * self.chosen as u64 {
            return Err(format!("{} maps are too few to choose {} from either end", self.maps, self.chosen));
        }
        Ok(())
    }

    fn settings(&self) -> Result<Settings, String> {
        let policy = certify::policy(&self.players, self.turn_cap).map_err(|error| error.to_string())?;
        let Self { games, maps, chosen, method, seed, .. } = *self;
        Ok(Settings { policy, games, maps, chosen, method, seed })
    }

    fn seed_maps(&self) -> Result<Vec<Map>, String> {
        let map =
            |(name, value): &(String, _)| certify::map_of(value).map_err(|why| format!("{name} is not a map: {why}"));
        self.seeds.iter().map(map).collect()
    }
}

/// A member as a checkpoint keeps it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
struct Kept {
    name: String,
    map: serde_json::Value,
    origin: Origin,
    step: usize,
    score: Option<f64>,
    distance: Option<f64>,
    wins: [u64; SEATS],
}

impl Kept {
    fn of(member: &Member) -> Self {
        let Member { name, map, origin, step, score, distance, wins } = member.clone();
        Self { name, map: serde_json::to_value(&map).unwrap_or_default(), origin, step, score, distance, wins }
    }

    fn member(self) -> Result<Member, String> {
        let Self { name, map, origin, step, score, distance, wins } = self;
        Ok(Member { name, map: certify::map_of(&map)?, origin, step, score, distance, wins })
    }
}

/// Everything a run needs to go on. All other files follow from it.
#[derive(Serialize, Deserialize)]
struct Checkpoint {
    members: Vec<Kept>,
    taken: Vec<Taken>,
}

/// What differs from run to run.
#[derive(Serialize)]
struct Timing {
    step: usize,
    seconds: f64,
    unix_time: u64,
}

/// Why a run does not go on.
#[derive(Debug, thiserror::Error)]
pub enum RunError {
    /// The directory cannot be used.
    #[error(transparent)]
    Directory(#[from] DirectoryError),
    /// There is no next step.
    #[error(transparent)]
    Course(#[from] CourseError),
}

/// A course and its directory.
#[derive(Debug)]
pub struct Run {
    directory: Directory,
    plan: Plan,
    settings: Settings,
    members: Vec<Member>,
    taken: Vec<Taken>,
    unlabelled: Option<Unlabelled>,
}

impl Run {
    /// A new run in a directory without one.
    ///
    /// # Errors
    /// If the plan is wrong or the directory cannot be written to.
    pub fn begin(directory: Directory, manifest: &Manifest<Plan>) -> Result<Self, DirectoryError> {
        let plan = manifest.plan.clone();
        let settings = plan.check().and_then(|()| plan.settings()).map_err(|why| directory.refuse(MANIFEST, why))?;
        directory.write_manifest(manifest)?;
        Ok(Self { directory, plan, settings, members: Vec::new(), taken: Vec::new(), unlabelled: None })
    }

    /// Goes on with the run of a directory.
    ///
    /// # Errors
    /// If a file is damaged, or if the run was made under other rules.
    pub fn resume(directory: Directory) -> Result<Self, DirectoryError> {
        let Manifest { plan, .. } = directory.read_manifest::<Plan>(&rules_version())?;
        let settings = plan.check().and_then(|()| plan.settings()).map_err(|why| directory.refuse(MANIFEST, why))?;
        let (mut members, mut taken) = (Vec::new(), Vec::new());
        if let Some(checkpoint) = directory.read_checkpoint::<Checkpoint>()? {
            let kept = checkpoint.members.into_iter().map(Kept::member).collect::<Result<_, _>>();
            members = kept.map_err(|why| directory.refuse(CHECKPOINT, why))?;
            taken = checkpoint.taken;
        }
        directory.write_lines(HISTORY, &taken)?;
        Ok(Self { directory, plan, settings, members, taken, unlabelled: None })
    }

    /// Its directory.
    #[must_use]
    pub const fn directory(&self) -> &Directory {
        &self.directory
    }

    /// What it is to do.
    #[must_use]
    pub const fn plan(&self) -> &Plan {
        &self.plan
    }

    /// All maps that were played.
    #[must_use]
    pub fn members(&self) -> &[Member] {
        &self.members
    }

    /// The steps so far.
    #[must_use]
    pub fn taken(&self) -> &[Taken] {
        &self.taken
    }

    /// The labels of all maps by now.
    #[must_use]
    pub fn labels(&self) -> Option<TwoMeans> {
        let wins: Vec<_> = self.members.iter().map(|member| member.wins).collect();
        label(&wins, self.plan.games).ok()
    }

    /// Whether all steps were taken.
    #[must_use]
    pub fn is_finished(&self) -> bool {
        self.taken.len() >= self.plan.steps
    }

    /// Plays the seed maps, or takes the next step, and keeps that.
    ///
    /// # Errors
    /// If there is too little to learn from, the watcher asks to stop, or it cannot be written. Then the run is as before.
    pub fn advance(&mut self, evaluator: &Evaluator, watch: &dyn Watch) -> Result<(), RunError> {
        let began = Instant::now();
        if self.members.is_empty() {
            let maps = self.plan.seed_maps().map_err(|why| self.directory.refuse(MANIFEST, why))?;
            let wins = play(&self.settings, &maps, evaluator, watch).map_err(CourseError::from)?;
            let seeds = self.plan.seeds.iter().zip(maps).zip(wins);
            let member = |(((name, _), map), wins): ((&(String, _), Map), _)| Member {
                name: name.clone(),
                map,
                origin: Origin::Seed,
                step: 0,
                score: None,
                distance: None,
                wins,
            };
            let members = seeds.map(member).collect();
            self.keep(members, self.taken.clone())?;
            return self.time(began);
        }
        let unlabelled = match self.unlabelled.take() {
            Some(unlabelled) => unlabelled,
            None => {
                let Plan { seed, maps, method, .. } = self.plan;
                Unlabelled::draw(seed, maps, method.readings, evaluator).map_err(CourseError::from)?
            }
        };
        let (mut members, mut taken) = (self.members.clone(), self.taken.clone());
        let line = step(&mut members, taken.len() + 1, &self.settings, &unlabelled, evaluator, watch);
        self.unlabelled = Some(unlabelled);
        let line = line?;
        taken.push(line);
        self.keep(members, taken)?;
        self.directory.append(HISTORY, &line)?;
        self.time(began)
    }

    /// Writes the files of the maps that steps chose, and returns their names.
    ///
    /// # Errors
    /// If the system refuses.
    pub fn finish(&self) -> Result<(), DirectoryError> {
        for member in self.members.iter().filter(|member| member.origin != Origin::Seed) {
            self.directory.write(&format!("maps/{}.catan", member.name), file::write(&member.map).as_bytes())?;
        }
        Ok(())
    }

    fn keep(&mut self, members: Vec<Member>, taken: Vec<Taken>) -> Result<(), DirectoryError> {
        let kept = members.iter().map(Kept::of).collect();
        self.directory.write_checkpoint(&Checkpoint { members: kept, taken: taken.clone() })?;
        (self.members, self.taken) = (members, taken);
        Ok(())
    }

    fn time(&self, began: Instant) -> Result<(), RunError> {
        let unix_time = SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |time| time.as_secs());
        let (step, seconds) = (self.taken.len(), began.elapsed().as_secs_f64());
        Ok(self.directory.append(TIMING, &Timing { step, seconds, unix_time })?)
    }
}
