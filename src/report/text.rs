//! Text from anywhere, made fit for terminals and XML.

/// The first `length` characters of a text that may come from anywhere, without control characters:
/// they could steer a terminal and are not allowed in XML.
pub(super) fn printable(text: &str, length: usize) -> String {
    let mut shown = String::new();
    let mut rest = text.chars().filter(|c| !is_control(*c));
    shown.extend(rest.by_ref().take(length));
    if rest.next().is_some() {
        shown.push('…');
    }
    shown
}

/// Control characters, those that change the direction of text, and what XML 1.0 forbids.
pub(super) fn is_control(c: char) -> bool {
    c.is_control()
        || matches!(c, '\u{200e}' | '\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2066}'..='\u{2069}' | '\u{fffe}' | '\u{ffff}')
}

/// A text, if there is anything to be seen of it.
pub(super) fn words(text: &Option<String>) -> Option<&str> {
    text.as_deref().filter(|text| text.chars().any(|c| !c.is_whitespace() && !is_control(c)))
}

/// The text with everything replaced that XML could take for its own.
#[must_use]
pub fn escape(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => escaped.push_str("&amp;"),
            '<' => escaped.push_str("&lt;"),
            '>' => escaped.push_str("&gt;"),
            '"' => escaped.push_str("&quot;"),
            '\'' => escaped.push_str("&#39;"),
            other => escaped.push(other),
        }
    }
    escaped
}

/// The beginning of a text that fits into so many columns; wide characters take two.
pub(super) fn fit(text: &str, columns: usize) -> String {
    let mut free = columns;
    let fits = text.chars().filter(|&c| !is_control(c)).take_while(|&c| {
        let wide = if c >= '\u{2e80}' { 2 } else { 1 };
        let fits = wide <= free;
        free = free.saturating_sub(wide);
        fits
    });
    printable(text, fits.count())
}

/// The text without the sequences that colour it.
#[cfg(test)]
pub(super) fn without_escapes(text: &str) -> String {
    let mut plain = String::new();
    let mut rest = text;
    while let Some((before, after)) = rest.split_once('\x1b') {
        plain.push_str(before);
        rest = after.split_once('m').unwrap().1;
    }
    plain + rest
}

/// Checks that every element is closed in order, and that no text is left unescaped.
#[cfg(test)]
pub(super) fn check_nesting(picture: &str) {
    let mut open = Vec::new();
    let mut rest = picture;
    while let Some((text, after)) = rest.split_once('<') {
        assert!(!text.contains('>'), "unescaped text: {text}");
        let (tag, after) = after.split_once('>').unwrap();
        if let Some(name) = tag.strip_prefix('/') {
            assert_eq!(open.pop(), Some(name));
        } else if !tag.ends_with('/') {
            open.push(tag.split_whitespace().next().unwrap());
        }
        rest = after;
    }
    assert_eq!(open, Vec::<&str>::new());
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_text_is_cut_to_the_width() {
        assert_eq!(fit("abcdef", 6), "abcdef");
        assert_eq!(fit("abcdefg", 6), "abcdef…");
        assert_eq!(fit("日本語日本語", 5), "日本…");
        assert_eq!(fit("", 0), "");
    }
}
