//! The manual (`README.md` and `host/docs`): its programs load and run, its commands print what it
//! shows, its generated parts are current, its links lead somewhere.

mod console;
mod form;
mod picture;
mod programs;
mod references;
