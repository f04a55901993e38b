//! Those who carry out calls.

mod servers;
