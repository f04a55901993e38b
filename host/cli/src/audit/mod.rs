//! `pml audit`: shows what people were asked and what they decided, and verifies that the trail of
//! it was not changed.
//!
//! Takes a journal and the command's flags, and prints lines or JSON. The trail holds no secrets;
//! text from others in it is escaped on a terminal.

mod command;
mod line;

pub(super) use command::AuditCommand;
