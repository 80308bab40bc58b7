"""A small Rust crate: it says how old the project is in days, with a test and optionally a command."""

from __future__ import annotations

from string import Template

from askback.demo.project.plan import SPDX, Plan
from askback.demo.project.python import toml_string

TEST_COMMAND = "cargo test"
RUN_COMMAND = "cargo run"

_CARGO = Template("""\
[package]
name = "$package"
version = "0.1.0"
edition = "2021"
description = $summary
readme = "README.md"
$licence
publish = false

[dependencies]
""")

_LIB = Template("""\
//! $package: knows when it began.

pub const DESCRIPTION: &str = $literal;

/// The first day: year, month, day.
pub const STARTED: (i64, i64, i64) = ($year, $month, $day);

/// Days since 1970-01-01 of a date in the Gregorian calendar.
pub fn day_number((year, month, day): (i64, i64, i64)) -> i64 {
    let year = if month <= 2 { year - 1 } else { year };
    let era = year.div_euclid(400);
    let year_of_era = year.rem_euclid(400);
    let day_of_year = (153 * ((month + 9) % 12) + 2) / 5 + day - 1;
    let day_of_era = year_of_era * 365 + year_of_era / 4 - year_of_era / 100 + day_of_year;
    era * 146_097 + day_of_era - 719_468
}

/// How many days the project has existed on day `today`; `None` before it starts.
pub fn age_in_days(today: i64) -> Option<i64> {
    let days = today - day_number(STARTED);
    (days >= 0).then_some(days)
}
""")

_MAIN = Template("""\
use std::time::{SystemTime, UNIX_EPOCH};

use $module::{age_in_days, DESCRIPTION};

fn main() {
    let seconds = SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |since| since.as_secs());
    let age = match age_in_days((seconds / 86_400) as i64) {
        Some(days) => format!("{days} days old"),
        None => "not started yet".to_string(),
    };
    println!("$package: {DESCRIPTION} ({age})");
}
""")

_TEST = Template("""\
use $module::{age_in_days, day_number, STARTED};

#[test]
fn the_first_day_is_day_zero() {
    assert_eq!(age_in_days(day_number(STARTED)), Some(0));
}

#[test]
fn a_week_later_it_is_seven_days_old() {
    assert_eq!(age_in_days(day_number(STARTED) + 7), Some(7));
}

#[test]
fn before_the_start_there_is_no_age() {
    assert_eq!(age_in_days(day_number(STARTED) - 1), None);
}

#[test]
fn days_are_counted_from_1970() {
    assert_eq!(day_number((1970, 1, 1)), 0);
    assert_eq!(day_number((2000, 3, 1)), 11_017);
}
""")


def files(plan: Plan) -> dict[str, str]:
    """Return the crate's files by path."""
    has_spdx_id = plan.licence in SPDX
    names = {
        "package": plan.package,
        "module": plan.module,
        "summary": toml_string(plan.summary),
        "literal": _literal(plan.summary),
        "licence": f'license = "{plan.licence}"' if has_spdx_id else 'license-file = "LICENSE"',
        "year": plan.start.year,
        "month": plan.start.month,
        "day": plan.start.day,
    }
    texts_by_path = {
        "Cargo.toml": _CARGO.substitute(names),
        "src/lib.rs": _LIB.substitute(names),
        "tests/age.rs": _TEST.substitute(names),
    }
    if "cli" in plan.features:
        texts_by_path["src/main.rs"] = _MAIN.substitute(names)
    return texts_by_path


def _literal(text: str) -> str:
    escaped = text.replace("\\", "\\\\").replace('"', '\\"')
    return f'"{escaped}"'
