//! Trade between players: what to propose, and what to accept.
//!
//! Once the dice are rolled, a player may propose trades to others. All trades that are possible are listed, what
//! each is worth to both sides is estimated, and a function of the two profits chooses one of them or none. Whoever is
//! asked accepts or refuses; there are no counter-offers. All hands are open while players negotiate.
//!
//! - [`offers`]: which trades are possible.
//! - [`profit`]: what a trade is worth, by rules or by playouts.
//! - [`decide`]: which trade is proposed, and which is accepted.
//! - [`player`]: a player who negotiates, and leaves all else to another one.
//! - [`measures`]: what is measured of them.
//! - [`choice`]: such players by name.

pub mod choice;
pub mod decide;
pub mod measures;
pub mod offers;
pub mod player;
pub mod profit;
