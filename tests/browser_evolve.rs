//! A browser looks at the report of an evolution: what a reader sees is what the run measured.
//!
//! `FAIRGROUND_BROWSER` names the browser, one that knows Chromium's options; then these tests fail without it. `none` says
//! that there is no way to get one. If it is not set, the usual names are tried, and the tests are skipped loudly without.

#[path = "common/program.rs"]
#[allow(dead_code, reason = "every test crate uses its own part of this module")]
mod program;

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::io::{Read as _, Write as _};
use std::path::{Path, PathBuf};
use std::process::Command;

use fairground::games::tubstap::{Map, Team, Terrain, file};
use program::{Run, fairground_in, scratch};
use serde_json::Value;

/// Small runs of both methods.
const RUNS: [&str; 2] = [
    "evolve --judge muct:20 --founders 3 --lines 2 --games 4 --generations 6 --final-games 30 --second-judge muct:10 --maps 2 --size 5x5 --units 3 \
     --seed 3",
    "evolve --preset paper003 --judge muct:20 --population 8 --games 6 --generations 4 --final-games 30 --second-judge muct:10 --maps 3 --seed 3",
];

/// The colours of the curves, of Red's and Blue's units and of plains.
const COLOURS: [[u8; 3]; 4] = [[0x2f, 0x65, 0xcc], [0x8a, 0x8d, 0x96], [0xd3, 0x3f, 0x45], [0xcf, 0xe5, 0xa6]];

/// Looks at the page from inside, once everything is loaded, and leaves what it sees in the page.
///
/// A picture in an image cannot be asked what it shows, so its source is drawn once more beside the page.
const PROBE: &str = r##"<script>addEventListener("load", () => {
const all = (root, what) => [...root.querySelectorAll(what)];
const place = (element, name) => Number(element.getAttribute(name));
const charts = all(document, "body > svg").map(svg => ({
  name: svg.querySelector("title").textContent,
  zero: place(svg.querySelector("line.axis"), "y1"),
  one: Math.min(...all(svg, "line.grid").map(line => place(line, "y1"))),
  width: svg.getBoundingClientRect().width,
  curves: all(svg, "polyline").map(curve => [...curve.points].map(point => [point.x, point.y])),
  points: all(svg, "circle").map(point => [place(point, "cx"), place(point, "cy"), point.textContent]),
}));
const images = all(document, "img").map(image => {
  const source = decodeURIComponent(image.getAttribute("src").replace("data:image/svg+xml,", ""));
  const beside = document.createElement("div");
  beside.style = "position:absolute;left:-9999px";
  beside.append(new DOMParser().parseFromString(source, "image/svg+xml").documentElement);
  document.body.append(beside);
  const groups = all(beside, "svg > g[transform]").filter(group => group.getBoundingClientRect().width > 30);
  const at = group => group.getAttribute("transform");
  const tile = group => group.querySelector(":scope > use:not([transform])");
  return {
    width: image.naturalWidth,
    shown: image.getBoundingClientRect().width,
    cells: groups.filter(tile).map(group => [at(group), tile(group).getAttribute("href")]),
    units: groups.filter(group => group.querySelector(":scope > title"))
      .map(group => [at(group), group.querySelector("title").textContent, group.lastElementChild.textContent]),
  };
});
const rows = all(document, "table").map(table => all(table, "tr").map(row => all(row, "td,th").map(cell => cell.innerText)));
const foreign = all(document, "[src],[href]").map(element => element.getAttribute("src") || element.getAttribute("href"))
  .filter(address => !address.startsWith("data:") && !address.startsWith("#"));
const requests = performance.getEntriesByType("resource").map(entry => entry.name).filter(name => !name.startsWith("data:"));
const seen = {charts, images, rows, foreign: foreign.concat(requests), text: document.body.innerText};
document.documentElement.setAttribute("data-seen", encodeURIComponent(JSON.stringify(seen)));
})</script>"##;

/// The browser to look with, or none where nobody asked for one.
fn browser() -> Option<String> {
    let named = std::env::var("FAIRGROUND_BROWSER").ok().filter(|name| !name.is_empty());
    if named.as_deref() != Some("none") {
        let usual = ["chromium-headless-shell", "chromium", "chromium-browser", "google-chrome"].map(String::from);
        let names = named.clone().map_or_else(|| usual.to_vec(), |name| vec![name]);
        let starts = |name: &String| Command::new(name).arg("--version").output().is_ok_and(|run| run.status.success());
        let found = names.into_iter().find(starts);
        assert!(found.is_some() || named.is_none(), "FAIRGROUND_BROWSER is {named:?}, which does not start");
        if found.is_some() {
            return found;
        }
    }
    // Past the test runner, which keeps the output of tests that pass to itself.
    let _ =
        writeln!(std::io::stderr(), "SKIPPED: no browser, so nobody looked at report.html (set FAIRGROUND_BROWSER)");
    None
}

/// A finished run: its page, and what must be seen there.
struct Expected {
    directory: PathBuf,
    page: String,
    /// Delivered maps as JSON tells of them.
    rows: Vec<Value>,
    history: Vec<Value>,
    maps: Vec<Map>,
}

fn finished(directory: &Path, line: &str) -> Expected {
    let run = fairground_in(directory, &format!("{line} --out a --format json")).succeeded();
    let text = |name: &str| fs::read_to_string(directory.join("a").join(name)).expect(name);
    let rows = run.json();
    let map = |row: &Value| {
        let path = directory.join(row["map"].as_str().expect("a file"));
        file::read(&path).unwrap_or_else(|error| panic!("{error}")).map
    };
    Expected {
        directory: directory.to_owned(),
        page: text("report.html"),
        maps: rows.iter().map(map).collect(),
        rows,
        history: text("history.jsonl").lines().map(|line| serde_json::from_str(line).expect("JSON")).collect(),
    }
}

/// What a browser without a network shows of a page.
struct Seen {
    value: Value,
    messages: Vec<String>,
    picture: Picture,
}

fn look(browser: &str, directory: &Path, name: &str, page: &str) -> Seen {
    let (path, picture) = (directory.join(format!("{name}.html")), directory.join(format!("{name}.png")));
    fs::write(&path, page.replacen("</head>", &format!("{PROBE}</head>"), 1)).expect("a page");
    let path = fs::canonicalize(&path).expect("a page");
    let run: Run = Command::new(browser)
        .args(["--headless", "--no-sandbox", "--disable-gpu", "--hide-scrollbars", "--enable-logging=stderr"])
        .args(["--disable-background-networking", "--host-resolver-rules=MAP * ~NOTFOUND"])
        .args(["--window-size=1200,4000", "--dump-dom"])
        .arg(format!("--user-data-dir={}", directory.join("profile").display()))
        .arg(format!("--screenshot={}", picture.display()))
        .arg(format!("file://{}", path.display()))
        .output()
        .expect("the browser starts")
        .into();
    assert_eq!(run.code, Some(0), "{}", run.err);
    let seen = run.out.split("data-seen=\"").nth(1).and_then(|rest| rest.split('"').next());
    let seen = seen.unwrap_or_else(|| panic!("{name}: the page was not loaded: {}", run.err));
    Seen {
        value: serde_json::from_str(&decoded(seen)).expect("what was seen is JSON"),
        messages: run.err.lines().filter(|line| line.contains("CONSOLE")).map(String::from).collect(),
        picture: Picture::read(&picture),
    }
}

/// Text without the `%xx` of an address.
fn decoded(text: &str) -> String {
    let mut parts = text.split('%');
    let mut bytes = parts.next().unwrap_or_default().as_bytes().to_vec();
    for part in parts {
        bytes.push(u8::from_str_radix(&part[..2], 16).expect("two hexadecimal digits"));
        bytes.extend(part[2..].bytes());
    }
    String::from_utf8(bytes).expect("UTF-8")
}

/// How many pixels of a picture have each colour.
struct Picture(BTreeMap<[u8; 3], usize>);

impl Picture {
    /// Reads a PNG file of 8 bits a channel, as browsers write it.
    fn read(path: &Path) -> Self {
        let bytes = fs::read(path).expect("a picture");
        assert_eq!(bytes[..8], *b"\x89PNG\r\n\x1a\n");
        let number = |at: usize| u32::from_be_bytes(bytes[at..at + 4].try_into().expect("four bytes")) as usize;
        let (mut at, mut packed) = (8, Vec::new());
        while at + 8 <= bytes.len() {
            if bytes[at + 4..at + 8] == *b"IDAT" {
                packed.extend(&bytes[at + 8..at + 8 + number(at)]);
            }
            at += number(at) + 12;
        }
        let (width, depth, kind, interlace) = (number(16), bytes[24], bytes[25], bytes[28]);
        assert!(depth == 8 && [2, 6].contains(&kind) && interlace == 0, "another kind of PNG");
        let channels = if kind == 2 { 3 } else { 4 };
        let mut raw = Vec::new();
        flate2::read::ZlibDecoder::new(&packed[..]).read_to_end(&mut raw).expect("packed rows");
        let mut colours = BTreeMap::new();
        let mut above = vec![0; channels * width];
        for row in raw.chunks(1 + channels * width) {
            let mut line = row[1..].to_vec();
            for index in 0..line.len() {
                let before = |line: &[u8]| if index < channels { 0 } else { line[index - channels] };
                let (left, up, corner) = (before(&line), above[index], before(&above));
                let guess = match row[0] {
                    0 => 0,
                    1 => left,
                    2 => up,
                    3 => ((u16::from(left) + u16::from(up)) / 2) as u8,
                    _ => {
                        let [a, b, c] = [left, up, corner].map(i16::from);
                        let [of_left, of_up, of_corner] = [b - c, a - c, a + b - 2 * c].map(i16::abs);
                        if of_left <= of_up && of_left <= of_corner {
                            left
                        } else if of_up <= of_corner {
                            up
                        } else {
                            corner
                        }
                    }
                };
                line[index] = line[index].wrapping_add(guess);
            }
            for pixel in line.chunks(channels) {
                *colours.entry([pixel[0], pixel[1], pixel[2]]).or_insert(0) += 1;
            }
            above = line;
        }
        Self(colours)
    }

    /// Pixels that are not of the most frequent colour.
    fn drawn(&self) -> usize {
        self.0.values().sum::<usize>() - self.0.values().max().unwrap_or(&0)
    }
}

fn number(value: &Value) -> f64 {
    value.as_f64().unwrap_or_else(|| panic!("{value} is not a number"))
}

fn list(value: &Value) -> &[Value] {
    value.as_array().unwrap_or_else(|| panic!("{value} is no list"))
}

fn text(value: &Value) -> &str {
    value.as_str().unwrap_or_else(|| panic!("{value} is no text"))
}

/// Everything a reader of the page would see wrongly or miss.
fn faults(seen: &Seen, expected: &Expected) -> Vec<String> {
    let mut faults = seen.messages.clone();
    let mut check = |is_right: bool, what: String| {
        if !is_right {
            faults.push(what);
        }
    };
    let foreign = &seen.value["foreign"];
    check(list(foreign).is_empty(), format!("network: {foreign}"));
    let first_table: Vec<_> = list(&seen.value["rows"][0]).iter().skip(1).collect();
    check(first_table.len() == expected.rows.len(), format!("table: {} rows", first_table.len()));
    for (cells, row) in first_table.iter().zip(&expected.rows) {
        let games = number(&row["games"]);
        let share = |name: &str| format!("{:.1} (", 100.0 * number(&row[name]) / games);
        let fitness = |judge: &str| {
            let value = |name| number(&row[&format!("{judge}{name}")]);
            let [fitness, low, high] = ["fitness", "fitness_low", "fitness_high"].map(value);
            format!("{fitness:.3} ({low:.3} to {high:.3})")
        };
        let starts = [
            format!("{games}"),
            fitness(""),
            share("red_wins"),
            share("blue_wins"),
            share("draws"),
            fitness("second_"),
            row["difference"].as_f64().map_or_else(|| "-".into(), |share| format!("{share:.2}")),
        ];
        for (cell, start) in list(cells)[1..].iter().zip(starts) {
            check(text(cell).starts_with(&start), format!("table: {cell} where the run says {start}"));
        }
    }
    let tables = list(&seen.value["rows"]);
    let is_why = |table: &&Value| table[0][0] == "generation";
    let has_why = expected.page.contains("Why maps are worth nothing");
    check(tables.iter().any(|table| is_why(&table)) == has_why, "why: no table of maps worth nothing".into());
    for table in tables.iter().filter(is_why) {
        check(list(table).len() == expected.history.len() + 2, format!("why: {} rows", list(table).len()));
        for (row, line) in list(table)[1..].iter().zip(&expected.history) {
            let zeros: f64 = list(&line["census"]["nothing"]).iter().map(number).sum();
            let share = format!("{:.1}", 100.0 * zeros / number(&line["maps"]));
            check(row[2] == *share, format!("why: {} where the run says {share}", row[2]));
        }
    }
    let charts = list(&seen.value["charts"]);
    check(charts.len() == 2, format!("curves: {} charts", charts.len()));
    for (chart, name) in charts.iter().zip(["fitness", "smooth_fitness"]) {
        check(number(&chart["width"]) > 300.0, format!("curves: {name} is not shown"));
        let (zero, one) = (number(&chart["zero"]), number(&chart["one"]));
        let curves = list(&chart["curves"]);
        check(curves.len() == 4, format!("curves: {} of {name}", curves.len()));
        let mut points = list(&chart["points"]).iter();
        for (curve, which) in curves.iter().zip(["largest", "mean", "median", "smallest"]) {
            let count = list(curve).len();
            let generations = expected.history.len();
            check(count == generations, format!("curves: {count} points of {which}, {generations} generations"));
            for (point, line) in list(curve).iter().zip(&expected.history) {
                let value = number(&line[name][which]);
                let drawn = (zero - number(&point[1])) / (zero - one);
                check((drawn - value).abs() < 0.002, format!("curves: {which} {name} {value} drawn as {drawn}"));
                let told = format!("generation {}: {which} {value:.3}", line["generation"]);
                let is_told = points.next().is_some_and(|point| point[2] == *told);
                check(is_told, format!("curves: no point says '{told}'"));
            }
        }
    }
    let images = list(&seen.value["images"]);
    check(images.len() == expected.maps.len(), format!("maps: {} pictures", images.len()));
    for (image, map) in images.iter().zip(&expected.maps) {
        check(
            number(&image["width"]) > 300.0 && number(&image["shown"]) > 300.0,
            "maps: a picture is not shown".into(),
        );
        let cells: BTreeSet<_> = list(&image["cells"]).iter().map(|cell| (text(&cell[0]), text(&cell[1]))).collect();
        let places: BTreeSet<_> = cells.iter().map(|(place, _)| place).collect();
        check(places.len() == map.width * map.height, format!("maps: {} cells are drawn", places.len()));
        for terrain in Terrain::ALL {
            // Roads are drawn onto plains.
            let drawn_as = |own: Terrain| if own == Terrain::Road { Terrain::Plain } else { own };
            if terrain == drawn_as(terrain) {
                let there = map.cells().filter(|&cell| drawn_as(map.terrain_at(cell)) == terrain).count();
                let name = format!("#{}", terrain.name().replace('-', ""));
                let drawn = cells.iter().filter(|(_, symbol)| *symbol == name).count();
                check(drawn == there, format!("maps: {drawn} cells of {name}, not {there}"));
            }
        }
        let units = list(&image["units"]);
        check(units.len() == map.units.len(), format!("maps: {} units are drawn", units.len()));
        for unit in &map.units {
            let (x, y) = unit.cell.to_file();
            let team = if unit.team == Team::Red { "Red" } else { "Blue" };
            let told = format!("{team} {} at {x},{y}: {} hit points", unit.kind.name(), unit.hp);
            let is_drawn = units.iter().any(|drawn| text(&drawn[1]).starts_with(&told));
            check(is_drawn, format!("maps: no unit '{told}'"));
        }
    }
    let colours = &seen.picture.0;
    check(seen.picture.drawn() > 100_000, format!("screenshot: only {} pixels are drawn", seen.picture.drawn()));
    for colour in COLOURS {
        let pixels = colours.get(&colour).copied().unwrap_or(0);
        check(pixels > 50, format!("screenshot: {pixels} pixels of colour {colour:?}"));
    }
    faults
}

#[test]
fn a_browser_shows_what_the_run_measured() {
    let Some(browser) = browser() else { return };
    for (number, line) in RUNS.into_iter().enumerate() {
        let directory = scratch(&format!("whole-{number}"));
        let expected = finished(&directory, line);
        assert!(!expected.maps.is_empty() && expected.history.len() >= 5);
        let seen = look(&browser, &directory, "seen", &expected.page);
        assert_eq!(faults(&seen, &expected), Vec::<String>::new(), "{}", expected.directory.display());
        let shown = text(&seen.value["text"]);
        assert!(shown.contains("The run is finished."));
        assert_eq!(shown.contains("Why maps are worth nothing"), line.contains("paper003"));
    }
}

/// Where `old` stands in a page for the first time, `new` stands.
fn changed(page: &str, old: &str, new: &str) -> String {
    assert!(page.contains(old), "the page has no '{old}'");
    page.replacen(old, new, 1)
}

#[test]
fn a_broken_page_is_found_out() {
    let Some(browser) = browser() else { return };
    let directory = scratch("broken");
    let expected = finished(&directory, RUNS[0]);
    let page = &expected.page;
    let points = page.split(" points=\"").nth(1).and_then(|rest| rest.split('"').next()).expect("a curve");
    let (first, rest) = points.split_once(' ').expect("several points");
    let (x, _) = first.split_once(',').expect("two coordinates");
    let fitness = format!("{:.3} (", number(&expected.rows[0]["fitness"]));
    let unit = "%3Cg%20opacity=%22";
    let cell = "%3Cuse%20href=%22%23";
    for (name, broken, fault) in [
        ("no-point", changed(page, points, rest), "curves: "),
        ("wrong-point", changed(page, first, &format!("{x},77")), "curves: "),
        ("wrong-number", changed(page, &fitness, "0.123 ("), "table: "),
        ("no-maps", changed(page, "<img ", "<i "), "maps: "),
        ("damaged-map", changed(page, "data:image/svg+xml,%3Csvg", "data:image/svg+xml,%3Csvgg"), "maps: "),
        ("no-cell", changed(page, cell, "%3Cnouse%20href=%22%23"), "maps: "),
        ("no-unit", changed(page, unit, "%3C/g%3E%3Cg%20opacity=%22"), "maps: "),
        ("error", changed(page, "</body>", "<script>missing()</script></body>"), "CONSOLE"),
        ("network", changed(page, "</body>", "<img src=\"http://203.0.113.1/a.png\"/></body>"), "network: "),
        ("blank", changed(page, "<body>", "<body style=\"opacity:0\">"), "screenshot: "),
    ] {
        let found = faults(&look(&browser, &directory, name, &broken), &expected);
        assert!(found.iter().any(|found| found.contains(fault)), "{name}: {found:?}");
    }
}
