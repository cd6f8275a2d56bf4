#![allow(missing_docs)]
use fairground::games::catan::*;
fn main() {
    let maps: Vec<_> = builtin::named().iter().map(|b| Position::start(&b.map).pack()).collect();
    std::fs::write("/tmp/starts.bin", bytemuck::cast_slice::<_, u8>(&maps)).unwrap();
}
