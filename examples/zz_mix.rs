use fairground::games::catan::*;
use fairground_kernels::rng::{Draws, Rng};
use std::collections::BTreeMap;
fn main() {
    let mut counts: BTreeMap<String, u64> = BTreeMap::new();
    let games = 300;
    for g in 0..games {
        let mut rng = Rng::for_playout(5, 1, g);
        let maps = builtin::named();
        let mut p = Position::start(&maps[g as usize % maps.len()].map);
        let mut pre: Option<()> = None;
        while p.winner().is_none() && p.turn < 1000 {
            let acts = p.legal_actions();
            let a = acts[rng.below(acts.len() as u32) as usize];
            let mut name = format!("{a:?}").split(['(', ' ', '{']).next().unwrap().to_string();
            if acts.len() == 1 && p.phase == Phase::Turn {
                name += " forced";
            }
            if p.phase == Phase::FreeRoads {
                name += " free";
            }
            if p.placed < 8 {
                name = "setup ".to_string() + &name;
            }
            *counts.entry(name).or_default() += 1;
            if p.phase == Phase::Turn && p.rolled {
                let own = p.own();
                let afford = own.hand.covers(Cards::new([1, 1, 0, 0, 0]))
                    || own.hand.covers(Cards::new([0, 0, 1, 1, 1]))
                    || own.hand.covers(Cards::new([0, 0, 0, 2, 3]))
                    || own.hand.at_least(Cards::new(own.rates())) != 0;
                if afford {
                    *counts.entry("~afford something".into()).or_default() += 1;
                    if acts.len() == 1 {
                        *counts.entry("~afford but forced".into()).or_default() += 1;
                    }
                }
                if own.hand.covers(Cards::new([1, 1, 0, 0, 0])) {
                    *counts.entry("~afford road".into()).or_default() += 1;
                }
                if own.hand.covers(Cards::new([1, 1, 1, 1, 0])) {
                    *counts.entry("~afford settlement".into()).or_default() += 1;
                }
            }
            if p.phase == Phase::Turn && !p.rolled && acts.len() > 1 {
                *counts.entry("~pre-roll choice".into()).or_default() += 1;
            }
            let c = p.sample(a, &mut rng);
            if let Chance::Dice([x, y]) = c {
                if x + y != 7 {
                    let before: u32 = p.bank.total();
                    let _ = before;
                }
            }
            p.act(a, c);
            pre = None;
            let _ = pre;
        }
    }
    for (k, v) in counts {
        println!("{k:28} {:8.2}", v as f64 / games as f64);
    }
}
