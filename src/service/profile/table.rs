//! What `--profile list` prints: [`table`], all axes with their values.

use std::fmt::Write as _;

use super::{AXES, GAPS_NOT_ON_THE_WIRE};

/// Writes every axis with its gap and its values, the default first, and the gaps that have none.
#[must_use]
pub fn table() -> String {
    let mut table = String::new();
    for axis in AXES {
        let names = axis.values.iter().map(|value| value.name.len());
        let width = names.max().unwrap_or_default();
        // Writing to a string never fails.
        let _ = writeln!(table, "{} (gap {})\n  {}", axis.name, axis.gap, axis.description);
        for (index, value) in axis.values.iter().enumerate() {
            let mark = if index == 0 { '*' } else { ' ' };
            let _ = writeln!(table, "  {mark} {:width$}  {}", value.name, value.description);
        }
        table.push('\n');
    }
    table.push_str("* is the default. These gaps do not show on the wire:\n");
    let width = GAPS_NOT_ON_THE_WIRE.iter().map(|other| other.gap.len()).max();
    for other in GAPS_NOT_ON_THE_WIRE {
        let width = width.unwrap_or_default();
        let _ = writeln!(table, "    {:width$}  {}", other.gap, other.reason);
    }
    table
}
