//! Attacks: by programs, clones, servers, and whoever can write to the journal. Hostile packages
//! are in `real`.

mod conditions;
#[cfg(target_os = "linux")]
mod costs;
mod journal;
#[cfg(unix)]
mod links;
mod programs;
mod record;
mod showing;
mod trust;
