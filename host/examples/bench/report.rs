//! Statistics, the table and the JSON.

use crate::Failure;
use pml::json::{self, Value, json};
use std::{fmt, fs, path::Path};

/// The measurements of one subject.
#[derive(Clone, Default)]
pub(crate) struct Samples(Vec<f64>);

impl Samples {
    pub(crate) fn push(&mut self, sample: f64) {
        self.0.push(sample);
    }

    fn quantile(&self, q: f64) -> f64 {
        let mut ordered = self.0.clone();
        ordered.sort_by(f64::total_cmp);
        let index = (ordered.len() as f64 * q) as usize;
        ordered.get(index.min(ordered.len().saturating_sub(1))).copied().unwrap_or(f64::NAN)
    }

    fn json(&self) -> Value {
        json!({ "samples": self.0.len(), "p50": self.quantile(0.5), "p95": self.quantile(0.95) })
    }
}

impl FromIterator<f64> for Samples {
    fn from_iter<T: IntoIterator<Item = f64>>(samples: T) -> Samples {
        Samples(samples.into_iter().collect())
    }
}

/// One line of the table: pml, and what was measured beside it.
struct Row {
    what: String,
    unit: &'static str,
    pml: Samples,
    beside: Option<(&'static str, Samples)>,
}

impl Row {
    fn ratio(&self) -> Option<f64> {
        let (_, beside) = self.beside.as_ref()?;
        Some(self.pml.quantile(0.5) / beside.quantile(0.5))
    }
}

/// All lines.
#[derive(Default)]
pub(crate) struct Report {
    rows: Vec<Row>,
}

impl Report {
    /// Adds a measurement of pml alone.
    pub(crate) fn alone(&mut self, what: impl Into<String>, unit: &'static str, pml: Samples) {
        self.rows.push(Row { what: what.into(), unit, pml, beside: None });
    }

    /// Adds a measurement of pml and `name`, taken in turns.
    pub(crate) fn beside(
        &mut self,
        what: impl Into<String>,
        unit: &'static str,
        pml: Samples,
        name: &'static str,
        other: Samples,
    ) {
        self.rows.push(Row { what: what.into(), unit, pml, beside: Some((name, other)) });
    }

    /// Writes everything as JSON, making the folder if it is not there.
    pub(crate) fn write(&self, file: &Path) -> Result<(), Failure> {
        let rows = self.rows.iter().map(|row| {
            json!({
                "what": row.what,
                "unit": row.unit,
                "pml": row.pml.json(),
                "beside": row.beside.as_ref().map(|(name, _)| name),
                "other": row.beside.as_ref().map(|(_, samples)| samples.json()),
                "ratio": row.ratio(),
            })
        });
        let report = json!({
            "guest": pml::replay::GUEST_DIGEST,
            "cores": std::thread::available_parallelism().map_or(0, usize::from),
            "rows": rows.collect::<Vec<_>>(),
        });
        if let Some(folder) = file.parent() {
            fs::create_dir_all(folder)?;
        }
        fs::write(file, json::to_string_pretty(&report)? + "\n")
            .map_err(|error| format!("cannot write {}: {error}", file.display()).into())
    }
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "| what | unit | pml | p95 | beside it | p95 | pml ÷ it |")?;
        writeln!(f, "|---|---|---:|---:|---:|---:|---:|")?;
        for row in &self.rows {
            let (p50, p95) = (number(row.pml.quantile(0.5)), number(row.pml.quantile(0.95)));
            write!(f, "| {} | {} | {p50} | {p95} | ", row.what, row.unit)?;
            match (&row.beside, row.ratio()) {
                (Some((name, other)), Some(ratio)) => {
                    let (p50, p95) = (number(other.quantile(0.5)), number(other.quantile(0.95)));
                    writeln!(f, "{p50} ({name}) | {p95} | {ratio:.2} |")?;
                }
                _ => writeln!(f, "– | – | – |")?,
            }
        }
        Ok(())
    }
}

/// Three digits, as far as they mean anything.
fn number(value: f64) -> String {
    match value {
        v if v >= 100.0 => format!("{v:.0}"),
        v if v >= 10.0 => format!("{v:.1}"),
        v if v >= 1.0 => format!("{v:.2}"),
        v => format!("{v:.3}"),
    }
}
