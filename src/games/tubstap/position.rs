//! A position: everything that decides how a game can go on.

use fairground_kernels::bits::bits;
use fairground_kernels::rng::absorb;
use fairground_kernels::tubstap::packed::{DEAD, Packed, PackedSide};
use fairground_kernels::tubstap::tables::{MAX_HP, MAX_UNITS};

use super::board::{Board, Cell};
use super::map::Map;
use super::pieces::{Kind, Team, Terrain};

/// The terrain as sets of cells, sorted by what the rules ask of it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Ground {
    /// Cells that can be entered by air.
    pub open: Board,
    /// Plain, road and fortress: entering costs everybody 1.
    pub flat: Board,
    /// Wood: infantry 1, other ground units 2; three stars.
    pub wood: Board,
    /// Mountain: infantry 2, no other ground unit.
    pub mountain: Board,
    /// Plain and wood: the lowest bit of the number of stars (wood is the middle bit).
    pub one_star: Board,
    /// Mountain and fortress: the highest bit of the number of stars.
    pub four_stars: Board,
}

impl Ground {
    /// The sets for a terrain given by cell index.
    #[must_use]
    pub fn new(terrain: &[Terrain; 64]) -> Self {
        let mut ground = Self::default();
        for (index, terrain) in terrain.iter().enumerate() {
            let bit = Board(1 << index);
            match terrain {
                Terrain::NoEntry => continue,
                Terrain::Plain | Terrain::Road | Terrain::Fortress => ground.flat |= bit,
                Terrain::Wood => ground.wood |= bit,
                Terrain::Mountain => ground.mountain |= bit,
                Terrain::Sea => {}
            }
            ground.open |= bit;
            if terrain.stars() & 1 != 0 {
                ground.one_star |= bit;
            }
            if terrain.stars() & 4 != 0 {
                ground.four_stars |= bit;
            }
        }
        ground
    }

    /// Defence stars of a cell.
    #[inline]
    #[must_use]
    pub const fn stars(&self, cell: Cell) -> u32 {
        self.one_star.has(cell) as u32 | (self.wood.has(cell) as u32) << 1 | (self.four_stars.has(cell) as u32) << 2
    }

    /// The cells that cost a unit of this kind 1 and 2 to enter.
    #[inline]
    #[must_use]
    pub fn costs(&self, kind: Kind) -> (Board, Board) {
        match kind {
            Kind::Fighter | Kind::Attacker => (self.open, Board::EMPTY),
            Kind::Panzer | Kind::Cannon | Kind::Antiair => (self.flat, self.wood),
            Kind::Infantry => (self.flat | self.wood, self.mountain),
        }
    }
}

/// A unit on the board.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Unit {
    /// What it is.
    pub kind: Kind,
    /// Where it stands.
    pub cell: Cell,
    /// Hit points; 0 once it is dead.
    pub hp: u8,
}

/// The units of one side, numbered in the order of the map file.
#[derive(Clone, Copy, Debug)]
pub struct Side {
    pub(super) units: [Unit; MAX_UNITS],
    pub(super) alive: u16,
    pub(super) acted: u16,
    pub(super) occupied: Board,
}

impl Default for Side {
    fn default() -> Self {
        let nobody = Unit { kind: Kind::Infantry, cell: Cell::from_index(0), hp: 0 };
        Self { units: [nobody; MAX_UNITS], alive: 0, acted: 0, occupied: Board::EMPTY }
    }
}

impl Side {
    /// The living unit with this number.
    #[must_use]
    pub fn unit(&self, number: usize) -> Option<&Unit> {
        self.units.get(number).filter(|_| self.alive >> number & 1 != 0)
    }

    /// Numbers of the living units, ascending.
    #[inline]
    pub fn living(&self) -> impl Iterator<Item = usize> + use<> {
        bits(self.alive.into()).map(|number| number as usize)
    }

    /// Numbers of the living units that have not acted in this phase, as bits.
    #[inline]
    #[must_use]
    pub const fn unacted(&self) -> u16 {
        self.alive & !self.acted
    }

    /// Whether this unit has acted in this phase.
    #[must_use]
    pub const fn has_acted(&self, number: usize) -> bool {
        self.acted >> number & 1 != 0
    }

    /// Whether some living unit has acted in this phase.
    #[must_use]
    pub const fn has_begun(&self) -> bool {
        self.alive & self.acted != 0
    }

    /// Lets every unit act again.
    #[inline]
    pub const fn clear_flags(&mut self) {
        self.acted = 0;
    }

    /// Whether nobody is left.
    #[inline]
    #[must_use]
    pub const fn is_dead(&self) -> bool {
        self.alive == 0
    }

    /// The cells of the living units.
    #[inline]
    #[must_use]
    pub const fn occupied(&self) -> Board {
        self.occupied
    }

    /// Sum of hit points.
    #[must_use]
    pub fn hp(&self) -> u32 {
        self.living().map(|number| u32::from(self.units[number].hp)).sum()
    }

    /// Puts a unit under this number, replacing what was there. Its hit points are brought into 1 to 10.
    ///
    /// # Panics
    /// If `number` is 16 or more.
    pub fn place(&mut self, number: usize, unit: Unit, acted: bool) {
        self.remove(number);
        let bit = 1 << number;
        self.units[number] = Unit { hp: unit.hp.clamp(1, MAX_HP), ..unit };
        self.alive |= bit;
        self.acted = self.acted & !bit | if acted { bit } else { 0 };
        self.occupied |= Board::of(unit.cell);
    }

    /// Takes a unit off the board.
    pub fn remove(&mut self, number: usize) {
        if let Some(&Unit { cell, .. }) = self.unit(number) {
            self.occupied = self.occupied - Board::of(cell);
            self.alive &= !(1 << number);
            self.units[number].hp = 0;
        }
        self.acted &= !(1u32 << number) as u16;
    }

    fn pack(&self) -> PackedSide {
        // A unit that died in its own attack leaves its flag behind; equal positions have equal words.
        let acted = self.acted & self.alive;
        let mut packed = PackedSide {
            occupied: self.occupied.0,
            alive: self.alive.into(),
            acted: acted.into(),
            cells: [u64::from_ne_bytes([DEAD; 8]); 2],
            ..PackedSide::default()
        };
        for number in self.living() {
            let Unit { kind, cell, hp } = self.units[number];
            packed.hp |= u64::from(hp) << (4 * number);
            packed.kinds |= (kind.index() as u64) << (4 * number);
            packed.cells[number / 8] ^= (u64::from(DEAD) ^ u64::from(cell.index())) << (8 * (number % 8));
        }
        packed
    }

    fn unpack(packed: &PackedSide) -> Self {
        let mut side = Self::default();
        for number in bits((packed.alive & 0xffff).into()).map(|number| number as usize) {
            let kind = Kind::from_index((packed.kinds >> (4 * number) & 15) as usize).unwrap_or(Kind::Infantry);
            let cell = Cell::from_index((packed.cells[number / 8] >> (8 * (number % 8))) as u32);
            let hp = (packed.hp >> (4 * number) & 15) as u8;
            side.place(number, Unit { kind, cell, hp }, packed.acted >> number & 1 != 0);
        }
        side
    }
}

impl PartialEq for Side {
    /// Equal living units under equal numbers; what a dead unit leaves behind does not count.
    fn eq(&self, other: &Self) -> bool {
        self.alive == other.alive
            && self.unacted() == other.unacted()
            && self.living().all(|number| self.units[number] == other.units[number])
    }
}

impl Eq for Side {}

/// Far beyond every turn, limit and threshold that matters.
const LARGEST: u32 = 1 << 30;

/// A position of a game, at any moment of a phase.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Position {
    /// Terrain.
    pub ground: Ground,
    /// Red, Blue.
    pub sides: [Side; 2],
    /// Phases played.
    pub turn: u32,
    /// Phases after which the hit points are judged.
    pub limit: u32,
    /// A lead of more than this many hit points wins then.
    pub threshold: u32,
    /// Whose phase it is.
    pub mover: Team,
}

impl Position {
    /// The start of a game on `map`.
    #[must_use]
    pub fn start(map: &Map) -> Self {
        let mut sides = [Side::default(); 2];
        let mut counts = [0; 2];
        for unit in &map.units {
            let team = unit.team.index();
            if counts[team] < MAX_UNITS {
                sides[team].place(counts[team], Unit { kind: unit.kind, cell: unit.cell, hp: unit.hp }, unit.acted);
                counts[team] += 1;
            }
        }
        Self {
            ground: Ground::new(&map.terrain),
            sides,
            turn: 0,
            limit: map.turn_limit,
            threshold: map.hp_threshold,
            mover: Team::Red,
        }
    }

    /// The side to move.
    #[inline]
    #[must_use]
    pub const fn own(&self) -> &Side {
        &self.sides[self.mover.index()]
    }

    /// The side that waits.
    #[inline]
    #[must_use]
    pub const fn enemy(&self) -> &Side {
        &self.sides[self.mover.other().index()]
    }

    /// The position in the words every backend starts from. Turn, limit and threshold are cut at 2^30, so that no
    /// backend can overflow.
    #[must_use]
    pub fn pack(&self) -> Packed {
        let Ground { open, flat, wood, mountain, one_star, four_stars } = self.ground;
        Packed {
            open: open.0,
            flat: flat.0,
            wood: wood.0,
            mountain: mountain.0,
            one_star: one_star.0,
            four_stars: four_stars.0,
            sides: [self.sides[0].pack(), self.sides[1].pack()],
            turn: self.turn.min(LARGEST),
            limit: self.limit.min(LARGEST),
            threshold: self.threshold.min(LARGEST),
            mover: self.mover.index() as u32,
        }
    }

    /// The position that was [packed](Self::pack), or one a backend ended in.
    #[must_use]
    pub fn unpack(packed: &Packed) -> Self {
        Self {
            ground: Ground {
                open: Board(packed.open),
                flat: Board(packed.flat),
                wood: Board(packed.wood),
                mountain: Board(packed.mountain),
                one_star: Board(packed.one_star),
                four_stars: Board(packed.four_stars),
            },
            sides: [Side::unpack(&packed.sides[0]), Side::unpack(&packed.sides[1])],
            turn: packed.turn,
            limit: packed.limit,
            threshold: packed.threshold,
            mover: if packed.mover & 1 == 0 { Team::Red } else { Team::Blue },
        }
    }

    /// A number that identifies the position: equal positions, equal keys, on every machine.
    ///
    /// It is the default position key of the evaluator, so that a map gets the same playouts wherever
    /// it stands in a batch.
    #[must_use]
    pub fn key(&self) -> u64 {
        bytemuck::cast_slice::<Packed, u64>(&[self.pack()]).iter().fold(0, |hash, &word| absorb(hash, word))
    }
}
