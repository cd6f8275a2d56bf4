//! The map reader against the recorded outcome of odd and broken map texts.

#[path = "common/records.rs"]
mod records;

use fairground::games::tubstap::file::parse;
use serde::Deserialize;

#[derive(Deserialize)]
struct ParseRecord {
    name: String,
    text: String,
    /// What the specification asks of us, which is sometimes stricter than the original.
    ours: String,
}

#[test]
fn map_texts_are_accepted_or_rejected_as_specified() {
    for (at, record) in records::records::<ParseRecord>("tubstap/golden/parse") {
        let parsed = parse(record.text.as_bytes());
        let ours = if parsed.is_ok() { "accept" } else { "reject" };
        assert_eq!(ours, record.ours, "{at}, {}: faults {:?}", record.name, parsed.err());
    }
}
