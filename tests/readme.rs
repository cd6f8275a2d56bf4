//! The README shows what really compiles.

#[test]
fn the_library_program_in_the_readme_is_the_example() {
    let readme = include_str!("../README.md");
    let example = include_str!("../examples/thousand_maps.rs");
    let (_, program) = example.split_once("\n\n").expect("a heading, then the program");
    assert!(readme.contains(&format!("```rust\n{program}```")), "README.md and examples/thousand_maps.rs differ");
}

#[test]
fn the_picture_is_the_built_in_map() {
    let map = fairground::games::tubstap::builtin::get("duel-6x6").expect("built in");
    assert_eq!(include_str!("../docs/duel-6x6.svg"), fairground::report::svg(&map));
}

#[test]
fn the_switches_in_the_docs_are_those_of_a_reading() {
    use fairground::games::saboteur::{Preset, SWITCHES};
    let docs = include_str!("../docs/saboteur.md");
    let mut table =
        String::from("| switch | values | plain | A | R1 | what it decides |\n| --- | --- | --- | --- | --- | --- |\n");
    for switch in SWITCHES {
        let of = Preset::ALL.map(|preset| switch.value(&preset.reading())).join(" | ");
        table += &format!("| `{}` | {} | {of} | {} |\n", switch.name, switch.values.join(", "), switch.about);
    }
    assert!(docs.contains(&table), "docs/saboteur.md should have this table:\n{table}");
}

#[test]
fn the_picture_of_a_round_is_what_show_draws() {
    let directory = std::path::Path::new(env!("CARGO_TARGET_TMPDIR"));
    let picture = directory.join("readme-round.svg");
    let mut show = std::process::Command::new(env!("CARGO_BIN_EXE_fairground"));
    let status = show.args(["show", "6-players", "--svg"]).arg(&picture).status().expect("the program starts");
    assert!(status.success());
    let drawn = std::fs::read_to_string(picture).expect("the picture");
    assert!(drawn == include_str!("../docs/saboteur-round.svg"), "docs/saboteur-round.svg is not up to date");
}
