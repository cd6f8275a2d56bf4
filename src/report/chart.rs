//! Charts of figures with intervals, as SVG.

use std::fmt::Write as _;

use super::text::{escape, printable};

/// Points of one sort.
#[derive(Clone, Debug, PartialEq)]
pub struct Series {
    /// What they are.
    pub name: String,
    /// The points.
    pub points: Vec<Point>,
    /// Whether a line joins them.
    pub has_line: bool,
}

/// A figure, perhaps with an interval.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Point {
    /// Where it stands: in units of the axis below.
    pub x: f64,
    /// The figure.
    pub y: f64,
    /// The ends of its interval.
    pub interval: Option<[f64; 2]>,
}

/// A chart of shares in percent or of anything else that begins at 0.
#[derive(Clone, Debug, PartialEq)]
pub struct Chart {
    /// What it shows.
    pub title: String,
    /// What the axis below counts.
    pub x_label: String,
    /// What the axis on the left counts.
    pub y_label: String,
    /// Texts below the chart, and where.
    pub ticks: Vec<(f64, String)>,
    /// The ends of the axis below.
    pub x_range: [f64; 2],
    /// The ends of the axis on the left.
    pub y_range: [f64; 2],
    /// A line across the chart at this height.
    pub mark: Option<f64>,
    /// What is drawn.
    pub series: Vec<Series>,
}

const WIDTH: f64 = 820.0;
const HEIGHT: f64 = 340.0;
const LEFT: f64 = 60.0;
const RIGHT: f64 = 210.0;
const TOP: f64 = 34.0;
const BOTTOM: f64 = 56.0;
const STEPS: u32 = 5;

pub(super) const COLOURS: [&str; 8] =
    ["#2f65cc", "#c2571a", "#4c8b52", "#8a4fbf", "#b3912c", "#2b8a9e", "#b03a5b", "#6a6d76"];

impl Chart {
    /// The chart as a whole SVG file.
    #[must_use]
    pub fn svg(&self) -> String {
        let (right, bottom) = (WIDTH - RIGHT, HEIGHT - BOTTOM);
        let [from, to] = self.x_range;
        let x = |value: f64| LEFT + (right - LEFT) * ((value - from) / (to - from)).clamp(0.0, 1.0);
        let [lowest, highest] = self.y_range;
        let y = |value: f64| bottom - (bottom - TOP) * ((value - lowest) / (highest - lowest)).clamp(0.0, 1.0);
        let shown = |text: &str| escape(&printable(text, 80));
        let mut drawing = format!(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {WIDTH} {HEIGHT}\" width=\"{WIDTH}\" height=\"{HEIGHT}\" \
             role=\"img\" font-family=\"sans-serif\" font-size=\"12\" fill=\"#6a6d76\">\n<title>{}</title>\n",
            shown(&self.title)
        );
        let mut add = |text: std::fmt::Arguments<'_>| {
            // Writing to a string cannot fail.
            let _ = drawing.write_fmt(text);
            drawing.push('\n');
        };
        add(format_args!("<rect width=\"{WIDTH}\" height=\"{HEIGHT}\" fill=\"#ffffff\"/>"));
        add(format_args!(
            "<text x=\"{LEFT}\" y=\"18\" font-size=\"14\" fill=\"#2b2d33\">{}</text>",
            shown(&self.title)
        ));
        for step in 0..=STEPS {
            let value = lowest + (highest - lowest) * f64::from(step) / f64::from(STEPS);
            let (y, colour) = (y(value), if step == 0 { "#8a8d96" } else { "#e3e2dd" });
            add(format_args!("<line x1=\"{LEFT}\" y1=\"{y:.1}\" x2=\"{right}\" y2=\"{y:.1}\" stroke=\"{colour}\"/>"));
            let is_whole = (highest - lowest) % f64::from(STEPS) == 0.0 && lowest.fract() == 0.0;
            let (x, y, digits) = (LEFT - 8.0, y + 4.0, usize::from(!is_whole));
            add(format_args!("<text x=\"{x}\" y=\"{y:.1}\" text-anchor=\"end\">{value:.digits$}</text>"));
        }
        if let Some(mark) = self.mark {
            let y = y(mark);
            add(format_args!(
                "<line x1=\"{LEFT}\" y1=\"{y:.1}\" x2=\"{right}\" y2=\"{y:.1}\" stroke=\"#8a8d96\" stroke-dasharray=\"4 4\"/>"
            ));
        }
        for (at, text) in &self.ticks {
            let (x, y) = (x(*at), bottom + 18.0);
            add(format_args!("<text x=\"{x:.1}\" y=\"{y}\" text-anchor=\"middle\">{}</text>", shown(text)));
        }
        let (middle, below) = (f64::midpoint(LEFT, right), HEIGHT - 12.0);
        add(format_args!("<text x=\"{middle}\" y=\"{below}\" text-anchor=\"middle\">{}</text>", shown(&self.x_label)));
        let height = f64::midpoint(TOP, bottom);
        add(format_args!(
            "<text x=\"16\" y=\"{height}\" text-anchor=\"middle\" transform=\"rotate(-90 16 {height})\">{}</text>",
            shown(&self.y_label)
        ));
        for (row, (series, colour)) in self.series.iter().zip(COLOURS.iter().cycle()).enumerate() {
            let points: Vec<_> =
                series.points.iter().filter(|point| point.x.is_finite() && point.y.is_finite()).collect();
            if series.has_line && points.len() > 1 {
                let path: Vec<_> = points.iter().map(|point| format!("{:.1},{:.1}", x(point.x), y(point.y))).collect();
                let path = path.join(" ");
                add(format_args!(
                    "<polyline fill=\"none\" stroke=\"{colour}\" stroke-width=\"1.5\" points=\"{path}\"/>"
                ));
            }
            for point in points {
                let (at, height) = (x(point.x), y(point.y));
                if let Some([low, high]) = point.interval {
                    let (low, high) = (y(low), y(high));
                    add(format_args!(
                        "<line x1=\"{at:.1}\" y1=\"{low:.1}\" x2=\"{at:.1}\" y2=\"{high:.1}\" stroke=\"{colour}\" stroke-width=\"1.5\"/>"
                    ));
                }
                let title = format!("{}: {:.2}", shown(&series.name), point.y);
                add(format_args!(
                    "<circle cx=\"{at:.1}\" cy=\"{height:.1}\" r=\"3.5\" fill=\"{colour}\"><title>{title}</title></circle>"
                ));
            }
            let (at, height) = (right + 16.0, TOP + 8.0 + 20.0 * row as f64);
            add(format_args!("<circle cx=\"{at}\" cy=\"{height}\" r=\"4\" fill=\"{colour}\"/>"));
            let (at, height) = (at + 10.0, height + 4.0);
            add(format_args!("<text x=\"{at}\" y=\"{height}\">{}</text>", shown(&series.name)));
        }
        drawing + "</svg>\n"
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::text::check_nesting;

    #[test]
    fn charts_are_well_formed_whatever_they_show() {
        let point = |x, y, interval| Point { x, y, interval };
        let mut chart = Chart {
            title: "<b>&\u{7}".into(),
            x_label: "x".into(),
            y_label: "%".into(),
            ticks: vec![(0.0, "a\"b".into()), (1.0, "1".into())],
            x_range: [0.0, 1.0],
            y_range: [0.0, 100.0],
            mark: Some(25.0),
            series: Vec::new(),
        };
        check_nesting(&chart.svg());
        let points = vec![point(0.0, 10.0, Some([5.0, 500.0])), point(1.0, f64::NAN, None), point(2.0, 20.0, None)];
        chart.series = (0..10).map(|_| Series { name: "<s>".into(), points: points.clone(), has_line: true }).collect();
        let drawing = chart.svg();
        check_nesting(&drawing);
        assert!(!drawing.contains("NaN") && !drawing.contains("<s>") && !drawing.contains('\u{7}'));
        // Two points of each series and its sign.
        assert_eq!(drawing.matches("<circle").count(), 30);
        assert_eq!(drawing.matches("<polyline").count(), 10);
    }
}
