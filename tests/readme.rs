//! The README shows what really compiles.

#[test]
fn the_library_program_in_the_readme_is_the_example() {
    let readme = include_str!("../README.md");
    let example = include_str!("../examples/thousand_maps.rs");
    let (_, program) = example.split_once("\n\n").expect("a heading, then the program");
    assert!(readme.contains(&format!("```rust\n{program}```")), "README.md and examples/thousand_maps.rs differ");
}
