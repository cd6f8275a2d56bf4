//! The three playouts on the plain rules.

use fairground::games::tubstap::{Action, Policy};
use fairground_kernels::rng::Draws;
use fairground_kernels::tubstap::{MSS_PHASES, PHASE_CAP};
use fairground_kernels::{Ending, Outcome};

use super::plain::{Plain, PlainUnit, cell};

/// Plays a position to the end of a playout.
pub fn play<D: Draws>(plain: &mut Plain, policy: Policy, draws: &mut D) -> Outcome {
    let start = plain.turn;
    let mut actions = 0;
    let ending = match policy {
        Policy::Random => random(plain, draws, &mut actions),
        Policy::Muct => muct(plain, draws, &mut actions),
        Policy::Mss => mss(plain, draws, &mut actions),
    };
    Outcome { ending, phases: plain.turn - start, actions, draws: draws.draws() }
}

fn random<D: Draws>(plain: &mut Plain, draws: &mut D, actions: &mut u32) -> Ending {
    let start = plain.turn;
    let decided = |plain: &Plain| plain.verdict().map(|winner| winner.map_or(Ending::Draw, win));
    if plain.turn >= plain.limit
        && let Some(ending) = decided(plain)
    {
        return ending;
    }
    loop {
        while !plain.unacted().is_empty() && !plain.side(1 - plain.mover).is_empty() {
            let unit = draw(&plain.unacted(), draws);
            let options = with_moves(plain.attacks(unit), plain.moves(unit));
            plain.act(action(unit, draw(&options, draws)));
            *actions += 1;
        }
        plain.end_phase();
        if let Some(ending) = decided(plain) {
            return ending;
        }
        if plain.turn - start >= PHASE_CAP {
            return Ending::Truncated;
        }
    }
}

fn muct<D: Draws>(plain: &mut Plain, draws: &mut D, actions: &mut u32) -> Ending {
    let (own, start) = (plain.mover, plain.turn);
    while plain.turn < plain.limit {
        if plain.turn - start >= PHASE_CAP {
            return Ending::Truncated;
        }
        while !plain.unacted().is_empty() {
            let unacted = plain.unacted();
            let attacks_of = |&unit: &PlainUnit| plain.attacks(unit).into_iter().map(move |(x, y, t)| (unit, x, y, t));
            let attack = draws.four_in_five();
            let attacks: Vec<_> = unacted.iter().flat_map(attacks_of).collect();
            let chosen = if attack && !attacks.is_empty() {
                let (unit, x, y, target) = draw(&attacks, draws);
                action(unit, (x, y, Some(target)))
            } else {
                let unit = draw(&unacted, draws);
                let options = with_moves(plain.effective(unit), plain.moves(unit));
                action(unit, draw(&options, draws))
            };
            plain.act(chosen);
            *actions += 1;
        }
        plain.end_phase();
        if plain.mover == own && (plain.side(0).is_empty() || plain.side(1).is_empty()) {
            break;
        }
    }
    let lead = i64::from(plain.hp(own)) - i64::from(plain.hp(1 - own));
    if plain.side(own).is_empty() {
        win(1 - own)
    } else if plain.side(1 - own).is_empty() || lead >= plain.threshold.into() {
        win(own)
    } else if lead.abs() < plain.threshold.into() {
        Ending::Draw
    } else {
        win(1 - own)
    }
}

fn mss<D: Draws>(plain: &mut Plain, draws: &mut D, actions: &mut u32) -> Ending {
    let own = plain.mover;
    if plain.side(own).is_empty() {
        return win(1 - own);
    }
    if plain.side(1 - own).is_empty() {
        return win(own);
    }
    for _ in 0..MSS_PHASES {
        while !plain.unacted().is_empty() {
            let unit = draw(&plain.unacted(), draws);
            let attacks = plain.attacks(unit);
            let moves = if attacks.is_empty() { plain.approaches(unit) } else { Vec::new() };
            plain.act(action(unit, draw(&with_moves(attacks, moves), draws)));
            *actions += 1;
        }
        plain.turn += 1;
        plain.mover = 1 - plain.mover;
        plain.clear_flags(plain.mover);
    }
    win(if plain.weighted_hp(own) > plain.weighted_hp(1 - own) { own } else { 1 - own })
}

fn win(team: usize) -> Ending {
    Ending::Win(team as u8)
}

fn draw<T: Copy, D: Draws>(options: &[T], draws: &mut D) -> T {
    options[draws.below(options.len() as u32) as usize]
}

/// Where to go, and whom to attack from there.
type Choice = (usize, usize, Option<usize>);

fn with_moves(attacks: Vec<(usize, usize, usize)>, moves: Vec<(usize, usize)>) -> Vec<Choice> {
    let attacks = attacks.into_iter().map(|(x, y, target)| (x, y, Some(target)));
    attacks.chain(moves.into_iter().map(|(x, y)| (x, y, None))).collect()
}

fn action(unit: PlainUnit, (x, y, target): Choice) -> Action {
    Action { unit: unit.number, to: cell(x, y), target }
}
