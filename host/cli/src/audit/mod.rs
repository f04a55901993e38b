//! `pml audit`: what people were asked, what they said, and whether the trail of it is what was
//! written.
//!
//! In flow a journal and the command's flags, out flow lines or JSON. The trail holds no secrets;
//! what it holds of others' words is escaped where a person sees it.

mod command;
mod line;

pub(super) use command::AuditCommand;
