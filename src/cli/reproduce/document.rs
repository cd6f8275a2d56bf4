//! A report as text, Markdown, JSON and CSV.

use serde_json::Value;

use fairground::report::{STYLE, escape};

use crate::cli::output::{Format, Table, as_entries, csv, csv_cell};

/// A part of a report for people.
#[derive(Debug)]
pub enum Part {
    /// A heading.
    Heading(String),
    /// Paragraphs, one each.
    Lines(Vec<String>),
    /// A table: heads and rows.
    Table(Vec<String>, Vec<Vec<String>>),
    /// A picture, which text has to do without.
    Picture(Picture),
}

/// A picture of a report.
#[derive(Debug)]
pub struct Picture {
    /// The name of its file.
    pub file: String,
    /// What it shows.
    pub title: String,
    /// The picture.
    pub svg: String,
}

impl Part {
    /// A table with these heads.
    pub fn table(heads: &[&str], rows: Vec<Vec<String>>) -> Self {
        Self::Table(heads.iter().map(|&head| head.to_owned()).collect(), rows)
    }
}

/// A record for programs: names and values.
pub type Record = Vec<(&'static str, Value)>;

/// A report: for people, and the same as records.
#[derive(Debug, Default)]
pub struct Document {
    /// For people.
    pub parts: Vec<Part>,
    /// For programs. All have the same names.
    pub records: Vec<Record>,
    /// How fast it was, for programs: apart, because it differs from run to run.
    pub timing: Vec<Record>,
}

impl Document {
    /// The report in this format.
    pub fn written(&self, format: Format) -> String {
        match format {
            Format::Table => self.parts.iter().filter_map(as_text).collect::<Vec<_>>().join("\n"),
            Format::Json => {
                let timing = self.timing.iter().map(|record| format!("{{\"timing\":{}}}\n", as_json(record)));
                lines(&self.records) + &timing.collect::<String>()
            }
            Format::Csv => {
                let head =
                    self.records.first().map(|record| record.iter().map(|(name, _)| (*name).to_owned()).collect());
                let rows = self.records.iter().map(|record| record.iter().map(|(_, value)| csv_cell(value)).collect());
                head.into_iter().chain(rows).map(|cells: Vec<String>| csv(&cells) + "\n").collect()
            }
        }
    }

    /// The report for people as one page of HTML that needs nothing else.
    pub fn html(&self, title: &str) -> String {
        let title = escape(title);
        let parts: String = self.parts.iter().map(as_html).collect();
        format!(
            "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\"/>\n\
             <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\"/>\n\
             <title>{title}</title>\n<style>{STYLE}</style>\n</head>\n<body>\n<h1>{title}</h1>\n{parts}</body>\n</html>\n"
        )
    }

    /// Names of files and pictures.
    pub fn pictures(&self) -> impl Iterator<Item = &Picture> {
        self.parts.iter().filter_map(|part| if let Part::Picture(picture) = part { Some(picture) } else { None })
    }

    /// The report for people as Markdown.
    pub fn markdown(&self) -> String {
        self.parts.iter().map(as_markdown).collect::<Vec<_>>().join("\n")
    }
}

/// Records as lines of JSON.
pub fn lines(records: &[Record]) -> String {
    records.iter().map(|record| as_json(record) + "\n").collect()
}

fn as_json(record: &Record) -> String {
    let mut bytes = Vec::new();
    // Names and values of a record can always be written.
    let _ = as_entries(record, &mut serde_json::Serializer::new(&mut bytes));
    String::from_utf8_lossy(&bytes).into_owned()
}

fn as_text(part: &Part) -> Option<String> {
    Some(match part {
        Part::Heading(text) => format!("{text}\n{}\n", "-".repeat(text.chars().count())),
        Part::Lines(lines) => lines.iter().map(|line| format!("{line}\n")).collect(),
        Part::Table(heads, rows) => Table::text(heads, rows),
        Part::Picture(_) => return None,
    })
}

fn as_markdown(part: &Part) -> String {
    let row = |cells: &[String]| {
        let cells: Vec<_> = cells.iter().map(|cell| cell.replace('|', "\\|")).collect();
        format!("| {} |\n", cells.join(" | "))
    };
    match part {
        Part::Heading(text) => format!("## {text}\n"),
        Part::Lines(lines) => lines.iter().map(|line| format!("- {line}\n")).collect(),
        Part::Table(heads, rows) => {
            let line = row(&vec!["---".to_owned(); heads.len()]);
            row(heads) + &line + &rows.iter().map(|cells| row(cells)).collect::<String>()
        }
        Part::Picture(Picture { file, title, .. }) => format!("![{title}]({file})\n"),
    }
}

fn as_html(part: &Part) -> String {
    let row = |tag: &str, cells: &[String]| {
        let cells: String = cells.iter().map(|cell| format!("<{tag}>{}</{tag}>", escape(cell))).collect();
        format!("<tr>{cells}</tr>\n")
    };
    match part {
        Part::Heading(text) => format!("<h2>{}</h2>\n", escape(text)),
        Part::Lines(lines) => {
            let lines: String = lines.iter().map(|line| format!("<li>{}</li>\n", escape(line))).collect();
            format!("<ul>\n{lines}</ul>\n")
        }
        Part::Table(heads, rows) => {
            let rows: String = rows.iter().map(|cells| row("td", cells)).collect();
            format!("<div class=\"wide\"><table>\n{}{rows}</table></div>\n", row("th", heads))
        }
        Part::Picture(picture) => format!("<figure>\n{}</figure>\n", picture.svg),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_document_is_the_same_in_every_format() {
        let document = Document {
            parts: vec![
                Part::Heading("Results".into()),
                Part::Lines(vec!["All of them.".into()]),
                Part::table(&["name", "rate"], vec![vec!["a|b".into(), "0.5".into()]]),
            ],
            records: vec![vec![("name", "a,b".into()), ("rate", 0.5.into()), ("z", Value::Null)]],
            timing: vec![vec![("seconds", 2.into())]],
        };
        assert_eq!(document.written(Format::Table), "Results\n-------\n\nAll of them.\n\nname  rate\na|b    0.5\n");
        assert_eq!(
            document.markdown(),
            "## Results\n\n- All of them.\n\n| name | rate |\n| --- | --- |\n| a\\|b | 0.5 |\n"
        );
        assert_eq!(
            document.written(Format::Json),
            "{\"name\":\"a,b\",\"rate\":0.5,\"z\":null}\n{\"timing\":{\"seconds\":2}}\n"
        );
        assert_eq!(document.written(Format::Csv), "name,rate,z\n\"a,b\",0.5,\n");
        assert_eq!(Document::default().written(Format::Csv), "");
        let page = document.html("a < b");
        assert!(
            page.contains("<h1>a &lt; b</h1>")
                && page.contains("<td>a|b</td>")
                && page.contains("<li>All of them.</li>")
        );
    }
}
