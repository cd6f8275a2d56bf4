//! Histograms side by side, as SVG.

use std::fmt::Write as _;

use super::chart::COLOURS;
use super::text::{escape, printable};

/// Histograms over the same range, one beside the other, each with several counts on top of each other.
#[derive(Clone, Debug, PartialEq)]
pub struct Histograms {
    /// What they show.
    pub title: String,
    /// What the axes below count.
    pub x_label: String,
    /// The ends of the axes below.
    pub x_range: [f64; 2],
    /// What the layers are: the first is filled, the others are outlines.
    pub layers: Vec<String>,
    /// The name of each histogram, and by layer the counts of its bins, which are equally wide.
    pub panels: Vec<(String, Vec<Vec<u64>>)>,
}

const PANEL: f64 = 190.0;
const GAP: f64 = 26.0;
const LEFT: f64 = 40.0;
const HEIGHT: f64 = 260.0;
const TOP: f64 = 64.0;
const BOTTOM: f64 = 48.0;

impl Histograms {
    /// The drawing as a whole SVG file.
    #[must_use]
    pub fn svg(&self) -> String {
        let width = LEFT + (PANEL + GAP) * self.panels.len().max(1) as f64;
        let bottom = HEIGHT - BOTTOM;
        let most =
            self.panels.iter().flat_map(|(_, layers)| layers.iter().flatten()).max().map_or(1, |&most| most.max(1));
        let y = |count: u64| bottom - (bottom - TOP) * count as f64 / most as f64;
        let shown = |text: &str| escape(&printable(text, 100));
        let mut drawing = format!(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {width} {HEIGHT}\" width=\"{width}\" height=\"{HEIGHT}\" \
             role=\"img\" font-family=\"sans-serif\" font-size=\"12\" fill=\"#6a6d76\">\n<title>{}</title>\n",
            shown(&self.title)
        );
        let mut add = |text: std::fmt::Arguments<'_>| {
            // Writing to a string cannot fail.
            let _ = drawing.write_fmt(text);
            drawing.push('\n');
        };
        add(format_args!("<rect width=\"{width}\" height=\"{HEIGHT}\" fill=\"#ffffff\"/>"));
        let title = shown(&self.title);
        add(format_args!("<text x=\"{LEFT}\" y=\"18\" font-size=\"14\" fill=\"#2b2d33\">{title}</text>"));
        for (place, (name, colour)) in self.layers.iter().zip(COLOURS.iter().cycle()).enumerate() {
            let at = LEFT + 220.0 * place as f64;
            add(format_args!("<rect x=\"{at}\" y=\"28\" width=\"10\" height=\"10\" {}/>", style(place, colour)));
            add(format_args!("<text x=\"{}\" y=\"37\">{}</text>", at + 16.0, shown(name)));
        }
        add(format_args!("<text x=\"{}\" y=\"{:.1}\" text-anchor=\"end\">{most}</text>", LEFT - 6.0, TOP + 4.0));
        add(format_args!("<text x=\"{}\" y=\"{bottom}\" text-anchor=\"end\">0</text>", LEFT - 6.0));
        for (place, (name, layers)) in self.panels.iter().enumerate() {
            let left = LEFT + (PANEL + GAP) * place as f64;
            let (middle, right) = (left + PANEL / 2.0, left + PANEL);
            add(format_args!("<text x=\"{middle}\" y=\"{}\" text-anchor=\"middle\">{}</text>", TOP - 8.0, shown(name)));
            for (layer, (counts, colour)) in layers.iter().zip(COLOURS.iter().cycle()).enumerate() {
                let bin = PANEL / counts.len().max(1) as f64;
                let mut path = format!("M{left:.1},{bottom:.1}");
                for (number, &count) in counts.iter().enumerate() {
                    let from = left + bin * number as f64;
                    let _ = write!(path, " L{from:.1},{0:.1} L{1:.1},{0:.1}", y(count), from + bin);
                }
                add(format_args!("<path d=\"{path} L{right:.1},{bottom:.1}\" {}/>", style(layer, colour)));
            }
            add(format_args!(
                "<line x1=\"{left}\" y1=\"{bottom}\" x2=\"{right}\" y2=\"{bottom}\" stroke=\"#8a8d96\"/>"
            ));
            for (at, value, anchor) in [(left, self.x_range[0], "start"), (right, self.x_range[1], "end")] {
                let below = bottom + 16.0;
                add(format_args!("<text x=\"{at}\" y=\"{below}\" text-anchor=\"{anchor}\">{value:.1}</text>"));
            }
            let below = HEIGHT - 12.0;
            add(format_args!(
                "<text x=\"{middle}\" y=\"{below}\" text-anchor=\"middle\">{}</text>",
                shown(&self.x_label)
            ));
        }
        drawing + "</svg>\n"
    }
}

fn style(layer: usize, colour: &str) -> String {
    match layer {
        0 => format!("fill=\"{colour}\" fill-opacity=\"0.35\""),
        _ => format!("fill=\"none\" stroke=\"{colour}\" stroke-width=\"1.5\""),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::text::check_nesting;

    #[test]
    fn histograms_are_well_formed_and_have_an_area_for_each_layer() {
        let mut histograms = Histograms {
            title: "<maps> & \u{7}".into(),
            x_label: "%".into(),
            x_range: [10.0, 40.0],
            layers: vec!["few".into(), "many".into()],
            panels: Vec::new(),
        };
        check_nesting(&histograms.svg());
        let panel = |name: &str| (name.to_owned(), vec![vec![1, 4, 0], vec![0, 5, 0]]);
        histograms.panels = vec![panel("one"), panel("<two>"), ("none".into(), vec![Vec::new()])];
        let drawing = histograms.svg();
        check_nesting(&drawing);
        assert_eq!(drawing.matches("<path ").count(), 5);
        assert!(!drawing.contains("NaN") && !drawing.contains("<two>") && !drawing.contains('\u{7}'));
        // The highest bin of all reaches the top, and four fifths of it four fifths.
        assert!(drawing.contains(&format!(",{TOP:.1}")) && drawing.contains(",93.6"), "{drawing}");
    }
}
