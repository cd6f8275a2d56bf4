//! What the reports as HTML pages have in common.

use std::fmt::Write as _;

/// How pages look.
pub const STYLE: &str = "body{font-family:system-ui,-apple-system,'Segoe UI',Roboto,'DejaVu Sans',sans-serif;color:#2b2d33;\
background:#fff;max-width:70rem;margin:2rem auto;padding:0 1rem;line-height:1.45}\
h1{font-size:1.6rem}h2{font-size:1.2rem;margin-top:2.2rem}\
table{border-collapse:collapse}th,td{text-align:left;padding:.25rem .9rem .25rem 0;border-bottom:1px solid #e3e2dd}\
td.n,th.n{text-align:right;font-variant-numeric:tabular-nums}\
figure{display:inline-block;margin:0 1.2rem 1.6rem 0;vertical-align:top}figcaption{font-size:.9rem;color:#6a6d76}\
img,svg{max-width:100%;height:auto}.wide{overflow-x:auto}\
.grid{stroke:#e3e2dd}.axis{stroke:#8a8d96}.label{font-size:12px;fill:#6a6d76}\
.line{fill:none;stroke-width:2}";

/// A picture as an address that holds all of it. Pictures do not share names with each other or with the page that way.
pub(super) fn as_address(picture: &str) -> String {
    let mut address = String::from("data:image/svg+xml,");
    for byte in picture.bytes() {
        match byte {
            b'A'..=b'Z' | b'a'..=b'z' | b'0'..=b'9' | b'-' | b'_' | b'.' | b'~' | b'/' | b'=' | b',' | b';' => {
                address.push(byte.into());
            }
            _ => {
                let _ = write!(address, "%{byte:02X}");
            }
        }
    }
    address
}
