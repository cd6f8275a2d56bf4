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
