//! Maps as SVG pictures.

use std::fmt::Write as _;

use super::summary;
use super::text::{escape, fit, printable, words};
use crate::games::tubstap::board::DIRECTIONS;
use crate::games::tubstap::{Cell, Kind, Map, MapUnit, Team, Terrain};

/// Side of a cell.
const TILE: usize = 72;
/// Where the map starts, from the left and from the top: room for coordinates and the title.
const LEFT: usize = 44;
const TOP: usize = 92;
/// Width of the legend to the right of the map, and height of one of its lines.
const LEGEND: usize = 196;
const LINE: usize = 30;
const MARGIN: usize = 24;
/// A title needs this much, however narrow the map.
const MIN_WIDTH: usize = 460;

const STYLE: &str = "text{font-family:system-ui,-apple-system,'Segoe UI',Roboto,'DejaVu Sans',sans-serif;fill:#2b2d33}\
.t{font-size:17px;font-weight:700}.s{font-size:13px;fill:#6a6d76}.c{font-size:13px;fill:#8a8d96;text-anchor:middle}\
.h{font-size:13px;font-weight:700}.l{font-size:13px}\
.k{font-size:23px;font-weight:700;fill:#fff;text-anchor:middle}.p{font-size:13px;font-weight:700;text-anchor:middle}";

/// Drawings that are used once for each cell or unit, in a square of 72 with its corner at the origin.
const SYMBOLS: &str = r##"<clipPath id="tile"><rect width="72" height="72"/></clipPath>
<g id="plain"><rect width="72" height="72" fill="#cfe5a6"/><path d="M14 22l3-7 3 7M50 15l3-7 3 7M57 58l3-7 3 7M10 60l3-7 3 7M33 44l3-7 3 7" fill="none" stroke="#a9c97b" stroke-width="2" stroke-linecap="round"/></g>
<g id="sea"><rect width="72" height="72" fill="#86c1e9"/><path d="M4 16q8-8 16 0t16 0t16 0t16 0M-4 36q8-8 16 0t16 0t16 0t16 0t16 0M4 56q8-8 16 0t16 0t16 0t16 0" fill="none" stroke="#b5dcf6" stroke-width="3" stroke-linecap="round" clip-path="url(#tile)"/></g>
<g id="wood"><rect width="72" height="72" fill="#b4d591"/><path d="M18 30v10M54 26v10M36 56v10M10 62v6M62 62v6" stroke="#7d6242" stroke-width="4"/><path d="M18 6l13 26h-26zM54 2l13 26h-26zM36 30l14 28h-28zM9 42l10 20h-19zM63 42l9 20h-19z" fill="#4c8b52" stroke="#3d7444" stroke-width="1.5" stroke-linejoin="round" clip-path="url(#tile)"/></g>
<g id="mountain"><rect width="72" height="72" fill="#ddd2b4"/><path d="M2 66l22-44 17 34 10-19 19 29z" fill="#9b866a" stroke="#80705a" stroke-width="1.5" stroke-linejoin="round"/><path d="M24 22l-8 16 6-3 4 5 5-4z M51 37l-5 9 5-1 4 3 2-3z" fill="#fff"/></g>
<g id="fortress"><rect width="72" height="72" fill="#cfe5a6"/><path d="M8 64v-46h10v8h9v-8h18v8h9v-8h10v46z" fill="#b9b4a6" stroke="#8c877a" stroke-width="2" stroke-linejoin="round"/><path d="M8 38h56M8 50h56M22 26v12M50 26v12M36 18v20M14 38v12M28 38v12M44 38v12M58 38v12" stroke="#a19c8d" stroke-width="1.5"/></g>
<g id="noentry"><rect width="72" height="72" fill="#54565e"/><path d="M-6 30l36-36M-6 54l60-60M-6 78l84-84M18 78l60-60M42 78l36-36" stroke="#63656e" stroke-width="6" clip-path="url(#tile)"/></g>
<g id="red"><circle cx="36" cy="35.500" r="23" fill="#000" opacity=".2"/><circle cx="36" cy="33" r="23" fill="#d33f45" stroke="#fff" stroke-width="3"/></g>
<g id="blue"><rect x="14" y="13.500" width="44" height="44" rx="9" fill="#000" opacity=".2"/><rect x="14" y="11" width="44" height="44" rx="9" fill="#2f65cc" stroke="#fff" stroke-width="3"/></g>"##;

/// Draws a map: a self-contained picture with coordinates as in the file and a legend.
///
/// Red's units are round, Blue's square; the number is the hit points. A unit that has acted is pale
/// and marked `z`.
///
/// ```
/// let map = fairground::games::tubstap::builtin::get("duel-6x6").unwrap();
/// let picture = fairground::report::svg(&map);
/// assert!(picture.starts_with("<svg ") && picture.ends_with("</svg>\n"));
/// ```
#[must_use]
pub fn svg(map: &Map) -> String {
    let legend = legend(map);
    let width = (LEFT + TILE * map.width + MARGIN + LEGEND).max(MIN_WIDTH);
    let bottom = (TOP + TILE * map.height).max(TOP + legend.height);
    let height = bottom + MARGIN;
    let mut picture = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {width} {height}\" width=\"{width}\" \
         height=\"{height}\" role=\"img\">\n"
    );
    let summary = summary(map);
    let mut line = |text: std::fmt::Arguments<'_>| {
        // Writing to a string cannot fail.
        let _ = picture.write_fmt(text);
        picture.push('\n');
    };
    line(format_args!("<title>TUBSTAP map, {summary}</title>"));
    let (author, comment) = (words(&map.author), words(&map.comment));
    if let Some(comment) = comment {
        line(format_args!("<desc>{}</desc>", escape(&printable(comment, usize::MAX))));
    }
    line(format_args!("<defs><style>{STYLE}</style>\n{SYMBOLS}</defs>"));
    line(format_args!("<rect width=\"{width}\" height=\"{height}\" rx=\"12\" fill=\"#fbfaf7\"/>"));

    let heading = fit(comment.unwrap_or("TUBSTAP map"), (width - LEFT - MARGIN) / 11);
    line(format_args!("<text class=\"t\" x=\"{LEFT}\" y=\"34\">{}</text>", escape(&heading)));
    let by = author.map_or_else(String::new, |author| format!(", by {}", fit(author, 30)));
    line(format_args!("<text class=\"s\" x=\"{LEFT}\" y=\"55\">{}</text>", escape(&(summary + &by))));

    for x in 0..map.width {
        let middle = LEFT + TILE * x + TILE / 2;
        line(format_args!("<text class=\"c\" x=\"{middle}\" y=\"{}\">{}</text>", TOP - 9, x + 1));
    }
    for y in 0..map.height {
        let middle = TOP + TILE * y + TILE / 2 + 5;
        line(format_args!("<text class=\"c\" x=\"{}\" y=\"{middle}\">{}</text>", LEFT - 16, y + 1));
    }
    for cell in map.cells() {
        let (x, y) = corner(cell);
        line(format_args!("<g transform=\"translate({x} {y})\">{}</g>", tile(map, cell)));
    }
    line(format_args!("{}", grid(map)));
    for unit in &map.units {
        let (x, y) = corner(unit.cell);
        line(format_args!("<g transform=\"translate({x} {y})\">{}</g>", token(unit)));
    }
    let legend_left = LEFT + TILE * map.width + MARGIN;
    line(format_args!("<g transform=\"translate({legend_left} {TOP})\">{}</g>", legend.drawing));
    line(format_args!("</svg>"));
    picture
}

/// The upper left corner of a cell.
const fn corner(cell: Cell) -> (usize, usize) {
    (LEFT + TILE * cell.x() as usize, TOP + TILE * cell.y() as usize)
}

const fn symbol(terrain: Terrain) -> &'static str {
    match terrain {
        Terrain::NoEntry => "noentry",
        Terrain::Plain | Terrain::Road => "plain",
        Terrain::Sea => "sea",
        Terrain::Wood => "wood",
        Terrain::Mountain => "mountain",
        Terrain::Fortress => "fortress",
    }
}

fn tile(map: &Map, cell: Cell) -> String {
    let terrain = map.terrain_at(cell);
    let base = format!("<use href=\"#{}\"/>", symbol(terrain));
    if terrain != Terrain::Road {
        return base;
    }
    let leads_on = |direction: &usize| {
        let next = cell.neighbour(*direction);
        next.is_some_and(|next| matches!(map.terrain_at(next), Terrain::Road | Terrain::Fortress))
    };
    base + &road((0..4).filter(leads_on))
}

/// A road from the middle of a cell in these directions; a piece from left to right if there is none.
fn road(directions: impl Iterator<Item = usize>) -> String {
    let mut path = String::new();
    for (dx, dy) in directions.map(|direction| DIRECTIONS[direction]) {
        let _ = write!(path, "M36 36l{} {}", 36 * i32::from(dx), 36 * i32::from(dy));
    }
    if path.is_empty() {
        path.push_str("M8 36h56");
    }
    format!(
        "<g fill=\"none\" clip-path=\"url(#tile)\"><path d=\"{path}\" stroke=\"#cdb58a\" stroke-width=\"26\" \
         stroke-linecap=\"round\"/><path d=\"{path}\" stroke=\"#e9d9b6\" stroke-width=\"20\" stroke-linecap=\"round\"/></g>"
    )
}

fn grid(map: &Map) -> String {
    let (width, height) = (TILE * map.width, TILE * map.height);
    let mut path = String::new();
    for x in 1..map.width {
        let _ = write!(path, "M{} {TOP}v{height}", LEFT + TILE * x);
    }
    for y in 1..map.height {
        let _ = write!(path, "M{LEFT} {}h{width}", TOP + TILE * y);
    }
    format!(
        "<path d=\"{path}\" stroke=\"#fff\" stroke-opacity=\".45\" stroke-width=\"1.500\"/>\
         <rect x=\"{LEFT}\" y=\"{TOP}\" width=\"{width}\" height=\"{height}\" fill=\"none\" stroke=\"#6a6d76\" \
         stroke-width=\"2\"/>"
    )
}

const fn name(team: Team) -> &'static str {
    match team {
        Team::Red => "Red",
        Team::Blue => "Blue",
    }
}

fn token(unit: &MapUnit) -> String {
    let MapUnit { cell, kind, team, hp, acted } = *unit;
    let ((x, y), shape) = (cell.to_file(), if team == Team::Red { "red" } else { "blue" });
    let (team, kind_name, letter) = (name(team), kind.name(), kind.letter());
    let state = if acted { ", has acted" } else { "" };
    let opacity = if acted { ".62" } else { "1" };
    let mut token = format!(
        "<title>{team} {kind_name} at {x},{y}: {hp} hit points{state}</title>\
         <g opacity=\"{opacity}\"><use href=\"#{shape}\"/><text class=\"k\" x=\"36\" y=\"39\">{letter}</text></g>\
         <rect x=\"23\" y=\"48\" width=\"26\" height=\"17\" rx=\"8.500\" fill=\"#fff\" stroke=\"#2b2d33\"/>\
         <text class=\"p\" x=\"36\" y=\"61\">{hp}</text>"
    );
    if acted {
        token.push_str(
            "<circle cx=\"57\" cy=\"14\" r=\"9\" fill=\"#2b2d33\"/>\
             <text class=\"p\" x=\"57\" y=\"18\" style=\"fill:#fff\">z</text>",
        );
    }
    token
}

struct Legend {
    drawing: String,
    height: usize,
}

/// Explains what can be seen.
fn legend(map: &Map) -> Legend {
    let mut drawing = String::new();
    let mut y = 0;
    for (team, shape) in [(Team::Red, "red"), (Team::Blue, "blue")] {
        let hp: u32 = map.side(team).map(|unit| u32::from(unit.hp)).sum();
        let _ = write!(
            drawing,
            "<use href=\"#{shape}\" transform=\"translate(-4 {}) scale(.45)\"/>\
             <text class=\"l\" x=\"36\" y=\"{}\"><tspan font-weight=\"700\">{}</tspan>, {hp} hit points</text>",
            y,
            y + 20,
            name(team)
        );
        y += LINE;
    }
    let heading = |drawing: &mut String, y: &mut usize, text: &str| {
        let _ = write!(drawing, "<text class=\"h\" x=\"0\" y=\"{}\">{text}</text>", *y + 24);
        *y += LINE + 4;
    };
    let kinds: Vec<_> = Kind::ALL.into_iter().filter(|&kind| map.units.iter().any(|unit| unit.kind == kind)).collect();
    if !kinds.is_empty() {
        heading(&mut drawing, &mut y, "Units");
    }
    for kind in kinds {
        let _ = write!(
            drawing,
            "<text class=\"h\" x=\"12\" y=\"{0}\" text-anchor=\"middle\">{1}</text><text class=\"l\" x=\"36\" y=\"{0}\">{2}</text>",
            y + 14,
            kind.letter(),
            kind.name()
        );
        y += LINE - 8;
    }
    if map.units.iter().any(|unit| unit.acted) {
        let _ = write!(
            drawing,
            "<circle cx=\"12\" cy=\"{0}\" r=\"9\" fill=\"#2b2d33\"/><text class=\"p\" x=\"12\" y=\"{1}\" style=\"fill:#fff\">z</text>\
             <text class=\"l\" x=\"36\" y=\"{1}\">has acted</text>",
            y + 10,
            y + 14
        );
        y += LINE - 8;
    }
    heading(&mut drawing, &mut y, "Terrain (stars of defence)");
    for terrain in Terrain::ALL {
        if !map.cells().any(|cell| map.terrain_at(cell) == terrain) {
            continue;
        }
        let strip = if terrain == Terrain::Road { road([0, 2].into_iter()) } else { String::new() };
        let stars = "★".repeat(terrain.stars().into());
        let _ = write!(
            drawing,
            "<g transform=\"translate(0 {y}) scale(.3333)\"><use href=\"#{}\"/>{strip}</g>\
             <text class=\"l\" x=\"36\" y=\"{}\">{} {stars}</text>",
            symbol(terrain),
            y + 17,
            terrain.name()
        );
        y += LINE;
    }
    Legend { drawing, height: y }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::games::tubstap::builtin;
    use crate::report::text::{check_nesting, is_control};

    #[test]
    fn every_unit_of_every_map_is_drawn() {
        for map in builtin::maps() {
            let picture = svg(&map);
            check_nesting(&picture);
            for unit in &map.units {
                let (x, y) = unit.cell.to_file();
                assert!(picture.contains(&format!("{} at {x},{y}: {} hit points<", unit.kind.name(), unit.hp)));
            }
            assert_eq!(picture.matches("class=\"k\"").count(), map.units.len());
        }
    }

    #[test]
    fn foreign_text_is_escaped() {
        let mut map = builtin::maps().remove(0);
        map.comment = Some("</text><script>alert(\"1\")</script>&\0\x1b\u{ffff}".to_owned());
        map.author = Some("<'>".to_owned());
        let picture = svg(&map);
        check_nesting(&picture);
        assert!(!picture.contains("<script"));
        assert!(picture.contains("by &lt;&#39;&gt;"));
        assert!(picture.chars().all(|c| c == '\n' || !is_control(c)));
    }

    #[test]
    fn units_that_have_acted_are_marked() {
        let mut map = builtin::maps().remove(0);
        map.units[0].acted = true;
        assert_eq!(svg(&map).matches(", has acted<").count(), 1);
    }
}
