//! Catan's maps as SVG pictures.

use std::fmt::Write as _;

use super::{Pier, centre, is_red, piers, pips, ratio, yield_of};
use crate::games::catan::file::{port_name, tile_name};
use crate::games::catan::{Map, Port, Resource};
use crate::report::text::{escape, fit, printable, words};

/// The picture: its size, and the middle of the board in it.
const WIDTH: usize = 800;
const HEIGHT: usize = 868;
const MIDDLE: (f64, f64) = (400.0, 422.0);
/// One column and one row of the tables' drawing: hexes have a radius of 60.
const COLUMN: f64 = 51.96;
const ROW: f64 = 30.0;

const STYLE: &str = "text{font-family:system-ui,-apple-system,'Segoe UI',Roboto,'DejaVu Sans',sans-serif;fill:#2b2d33}\
.t{font-size:20px;font-weight:700}.s{font-size:13px;fill:#6a6d76}.l{font-size:14px;text-anchor:middle}\
.n{font-size:24px;font-weight:700;text-anchor:middle}.p{font-size:11px;font-weight:700;text-anchor:middle}\
.k{font-size:11px;text-anchor:middle;opacity:.75}.r,.r text{fill:#c0272d}";

/// Drawings that are used more than once, around the origin: a hex, one sign for each resource about 44 wide and
/// 32 high, the robber.
const SYMBOLS: &str = r##"<path id="hex" d="M0-60L51.960-30V30L0 60L-51.960 30V-30z"/>
<g id="wood"><path d="M-14 8v6M14 8v6M0 10v6" stroke="#5d4630" stroke-width="4"/><path d="M-14-12l9 21h-18zM14-12l9 21h-18z" fill="#2c6136" stroke="#22502b" stroke-linejoin="round"/><path d="M0-17l11 27h-22z" fill="#357a41" stroke="#22502b" stroke-linejoin="round"/></g>
<g id="brick" fill="#b5482a" stroke="#7e2c17" stroke-width="1.500"><rect x="-21" y="3" width="20" height="10" rx="1.500"/><rect x="1" y="3" width="20" height="10" rx="1.500"/><rect x="-10" y="-9" width="20" height="10" rx="1.500"/></g>
<g id="sheep"><path d="M-9 6v8M-3 8v7M5 8v7M10 6v8" stroke="#3a3d42" stroke-width="3" stroke-linecap="round"/><path d="M-14 5a7 7 0 0 1-2-13a8 8 0 0 1 12-5a9 9 0 0 1 14 2a8 8 0 0 1 4 14a7 7 0 0 1-9 4a9 9 0 0 1-11 0a7 7 0 0 1-8-2z" fill="#fff" stroke="#a9b09f" stroke-width="1.500"/><ellipse cx="17" cy="-6" rx="6" ry="7.500" transform="rotate(-20 17 -6)" fill="#3a3d42"/><path d="M12-11l-4-1" stroke="#3a3d42" stroke-width="3" stroke-linecap="round"/></g>
<g id="wheat"><g id="ear"><path d="M0 16V-10" stroke="#9a6d12" stroke-width="2"/><path d="M0-18q4 5 0 9q-4-4 0-9M0-6q1-7 8-7q0 7-8 7M0-6q-1-7-8-7q0 7 8 7M0 2q1-7 8-7q0 7-8 7M0 2q-1-7-8-7q0 7 8 7M0 10q1-7 8-7q0 7-8 7M0 10q-1-7-8-7q0 7 8 7" fill="#d9951a" stroke="#9a6d12" stroke-width=".8"/></g><use href="#ear" transform="translate(-15 4) rotate(-14) scale(.8)"/><use href="#ear" transform="translate(15 4) rotate(14) scale(.8)"/></g>
<g id="ore"><path d="M-24 14l14-25 9 14 8-11 17 22z" fill="#666d78" stroke="#4b515b" stroke-width="1.500" stroke-linejoin="round"/><path d="M-10-11l-6 11 4-2 3 4 3-5 3 1zM7-8l-5 7 5-1 4 3 2-3z" fill="#fff"/></g>
<g id="desert"><path d="M-38 24q14-12 26-3M8 36q12-10 24-6M-6-40q12-10 22-1" fill="none" stroke="#c9ae6d" stroke-width="3" stroke-linecap="round"/></g>
<g id="robber"><ellipse cy="26" rx="20" ry="6" fill="#000" opacity=".2"/><path d="M-17 25q0-20 10-27a11 11 0 1 1 14 0q10 7 10 27q-17 6-34 0z" fill="#3d3f47" stroke="#24262c" stroke-width="2"/><path d="M-4-13a6 6 0 0 0-3 5" fill="none" stroke="#8a8d96" stroke-width="2" stroke-linecap="round"/></g>"##;

/// The colour of a tile.
const fn colour(tile: Option<Resource>) -> &'static str {
    match tile {
        Some(Resource::Wood) => "#6fae6b",
        Some(Resource::Brick) => "#dc8a5e",
        Some(Resource::Sheep) => "#b9de7a",
        Some(Resource::Wheat) => "#f3d264",
        Some(Resource::Ore) => "#b3bac4",
        None => "#eadbb0",
    }
}

/// A place of the tables' drawing in the picture.
fn place((x, y): (i8, i8)) -> (f64, f64) {
    (MIDDLE.0 + COLUMN * f64::from(x), MIDDLE.1 + ROW * f64::from(y))
}

/// Draws a map: a self-contained picture of the island in its sea, with numbers, dots, ports and robber.
///
/// ```
/// let map = fairground::games::catan::builtin::get("beginner").unwrap();
/// let picture = fairground::report::catan::svg(&map);
/// assert!(picture.starts_with("<svg ") && picture.ends_with("</svg>\n"));
/// ```
#[must_use]
pub fn svg(map: &Map) -> String {
    let mut picture = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {WIDTH} {HEIGHT}\" width=\"{WIDTH}\" \
         height=\"{HEIGHT}\" role=\"img\">\n"
    );
    let mut line = |text: std::fmt::Arguments<'_>| {
        // Writing to a string cannot fail.
        let _ = picture.write_fmt(text);
        picture.push('\n');
    };
    let (name, note) = (words(&map.name), words(&map.comment));
    let heading = name.or(note).unwrap_or("Catan map");
    line(format_args!("<title>{}</title>", escape(&printable(name.unwrap_or("Catan map"), 200))));
    if let Some(note) = note {
        line(format_args!("<desc>{}</desc>", escape(&printable(note, usize::MAX))));
    }
    line(format_args!("<defs><style>{STYLE}</style>\n{SYMBOLS}</defs>"));
    line(format_args!("<rect width=\"{WIDTH}\" height=\"{HEIGHT}\" rx=\"12\" fill=\"#fbfaf7\"/>"));
    line(format_args!("<text class=\"t\" x=\"32\" y=\"40\">{}</text>", escape(&fit(heading, 62))));
    if let (Some(_), Some(note)) = (name, note) {
        line(format_args!("<text class=\"s\" x=\"32\" y=\"63\">{}</text>", escape(&fit(note, 104))));
    }
    line(format_args!("{}", sea()));
    for (pier, &port) in piers().zip(&map.ports) {
        line(format_args!("{}", harbour(&pier, port)));
    }
    for hex in 0..map.tiles.len() {
        let (x, y) = place(centre(hex));
        line(format_args!(
            "<use href=\"#hex\" x=\"{x:.2}\" y=\"{y:.2}\" fill=\"#f0e2b6\" stroke=\"#f0e2b6\" stroke-width=\"16\" \
             stroke-linejoin=\"round\"/>"
        ));
    }
    for (hex, (&tile, &token)) in map.tiles.iter().zip(&map.tokens).enumerate() {
        let (x, y) = place(centre(hex));
        line(format_args!("<g transform=\"translate({x:.2} {y:.2})\">{}</g>", land(tile, token)));
    }
    for (x, y) in piers().flat_map(|pier| pier.nodes).map(place) {
        line(format_args!(
            "<circle cx=\"{x:.2}\" cy=\"{y:.2}\" r=\"6\" fill=\"#8a5a33\" stroke=\"#fff\" stroke-width=\"1.500\"/>"
        ));
    }
    line(format_args!("{}", legend(map)));
    line(format_args!("</svg>"));
    picture
}

/// A large hexagon with its corners in the west and the east, like the frame of the game.
fn sea() -> String {
    let corners = [(-7.1, 0.0), (-3.55, -10.65), (3.55, -10.65), (7.1, 0.0), (3.55, 10.65), (-3.55, 10.65)];
    let points: Vec<_> =
        corners.iter().map(|(x, y)| format!("{:.1},{:.1}", MIDDLE.0 + COLUMN * x, MIDDLE.1 + ROW * y)).collect();
    format!(
        "<polygon points=\"{}\" fill=\"#7fbfe6\" stroke=\"#7fbfe6\" stroke-width=\"24\" stroke-linejoin=\"round\"/>",
        points.join(" ")
    )
}

fn land(tile: Option<Resource>, token: u8) -> String {
    let (name, fill) = (tile_name(tile), colour(tile));
    let mut land = format!(
        "<use href=\"#hex\" fill=\"{fill}\" stroke=\"#fff\" stroke-opacity=\".7\" stroke-width=\"3\" \
         stroke-linejoin=\"round\"/>"
    );
    if tile.is_none() {
        land.insert_str(0, "<title>desert, where the robber starts</title>");
        land.push_str("<use href=\"#desert\"/><use href=\"#robber\" y=\"-3\"/>");
        return land;
    }
    land.insert_str(0, &format!("<title>{name} {token}</title>"));
    let (red, count) = (if is_red(token) { " class=\"r\"" } else { "" }, pips(token));
    let _ = write!(
        land,
        "<use href=\"#{name}\" y=\"-25\"/><g{red}><circle cy=\"20\" r=\"23\" fill=\"#fdf6e3\" stroke=\"#b59f74\" \
         stroke-width=\"1.500\"/><text class=\"n\" y=\"25\">{token}</text>"
    );
    for pip in 0..count {
        let x = 6.0 * (f64::from(pip) - f64::from(count - 1) / 2.0);
        let _ = write!(land, "<circle cx=\"{x}\" cy=\"33\" r=\"2\"/>");
    }
    land.push_str("</g>");
    land
}

/// A port off the coast, with a pier to each of its nodes.
fn harbour(pier: &Pier, port: Port) -> String {
    let (name, ratio) = (port_name(port), ratio(port));
    let ([a, b], from) = (pier.nodes.map(place), place(centre(pier.hex)));
    let middle = ((a.0 + b.0) / 2.0, (a.1 + b.1) / 2.0);
    // As far out as the centre of the hex of sea there, or nearly.
    let (x, y) = (middle.0 + 0.92 * (middle.0 - from.0), middle.1 + 0.92 * (middle.1 - from.1));
    let mut harbour = format!(
        "<g><title>port, {name} {ratio}</title><path d=\"M{:.2} {:.2}L{x:.2} {y:.2}L{:.2} {:.2}\" fill=\"none\" \
         stroke=\"#8a5a33\" stroke-width=\"6\" stroke-linecap=\"round\" stroke-dasharray=\"1 7.500\"/>\
         <g transform=\"translate({x:.2} {y:.2})\">",
        a.0, a.1, b.0, b.1
    );
    let fill = if let Port::Two(resource) = port { colour(Some(resource)) } else { "#fff" };
    let _ = write!(harbour, "<circle r=\"27\" fill=\"{fill}\" stroke=\"#fff\" stroke-width=\"3\"/>");
    let _ = match port {
        Port::Two(_) => write!(
            harbour,
            "<use href=\"#{name}\" transform=\"translate(0 -7) scale(.72)\"/><text class=\"l\" y=\"19\" font-weight=\"700\">{ratio}</text>"
        ),
        Port::Three => write!(
            harbour,
            "<text class=\"l\" y=\"0\" font-weight=\"700\">{ratio}</text><text class=\"k\" y=\"14\">{name}</text>"
        ),
    };
    harbour.push_str("</g></g>");
    harbour
}

/// The resources, and how many dots their tokens have.
fn legend(map: &Map) -> String {
    let mut legend = String::new();
    for (resource, column) in Resource::ALL.into_iter().zip(0u8..) {
        let x = 86.0 + 144.0 * f64::from(column);
        let (fill, name, dots) = (colour(Some(resource)), resource.name(), yield_of(map, resource));
        let _ = write!(
            legend,
            "<g transform=\"translate({x} 818)\"><use href=\"#hex\" fill=\"{fill}\" transform=\"scale(.38)\"/>\
             <use href=\"#{name}\" transform=\"scale(.6)\"/>\
             <text class=\"l\" x=\"28\" y=\"-1\" style=\"text-anchor:start;font-weight:700\">{name}</text>\
             <text class=\"s\" x=\"28\" y=\"16\">{dots} dots</text></g>"
        );
    }
    legend
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::games::catan::builtin;
    use crate::report::text::{check_nesting, is_control};

    #[test]
    fn every_hex_and_port_of_every_map_is_drawn() {
        for map in builtin::maps() {
            let picture = svg(&map);
            check_nesting(&picture);
            for (&tile, token) in map.tiles.iter().zip(map.tokens).filter(|(tile, _)| tile.is_some()) {
                assert!(picture.contains(&format!("<title>{} {token}</title>", tile_name(tile))));
            }
            for port in map.ports {
                assert!(picture.contains(&format!("<title>port, {} {}</title>", port_name(port), ratio(port))));
            }
            assert_eq!(picture.matches("class=\"n\"").count(), 18);
            assert_eq!(picture.matches("<title>port, ").count(), 9);
            assert_eq!(picture.matches("class=\"r\"").count(), 4);
            // 58 dots on the tokens, 18 tokens, 9 ports, 18 of their nodes.
            assert_eq!(picture.matches("<circle").count(), 58 + 18 + 9 + 18);
        }
    }

    #[test]
    fn foreign_text_is_escaped() {
        let mut map = builtin::maps().remove(0);
        map.comment = Some("</text><script>alert(\"1\")</script>&\0\x1b\u{ffff}".to_owned());
        map.name = Some("<'>".to_owned());
        let picture = svg(&map);
        check_nesting(&picture);
        assert!(!picture.contains("<script"));
        assert!(picture.contains(">&lt;&#39;&gt;</title>"));
        assert!(picture.chars().all(|c| c == '\n' || !is_control(c)));
    }
}
