//! Addresses of files: the states of the URL parser for `file:`, where hosts and drives differ from other schemes.

use super::AddressError;
use super::host;
use super::parse::Parser;
use super::record::{Address, Path};

impl Parser {
    /// Reads what follows `file:`, or an address relative to one of a file.
    pub(super) fn file(&mut self, base: Option<&Address>) -> Result<(), AddressError> {
        self.address.host = Some(String::new());
        if !self.at_slash() {
            let Some(base) = base else {
                self.segments();
                return Ok(());
            };
            self.address = Address { fragment: None, ..base.clone() };
            if matches!(self.next(), None | Some('?' | '#')) {
                self.query_and_fragment();
                return Ok(());
            }
            self.address.query = None;
            match host::starts_with_drive(&self.text[self.at..]) {
                true => self.address.path = Path::Segments(Vec::new()),
                false => self.address.shorten(),
            }
            self.segments();
            return Ok(());
        }
        self.at += 1;
        if self.at_slash() {
            self.at += 1;
            return self.file_host();
        }
        if let Some(base) = base {
            self.address.host.clone_from(&base.host);
            if let Path::Segments(segments) = &base.path
                && !host::starts_with_drive(&self.text[self.at..])
                && let Some(drive) = segments.first().filter(|it| host::is_normalized_drive(it))
            {
                self.address.path = Path::Segments(vec![drive.clone()]);
            }
        }
        self.segments();
        Ok(())
    }

    fn file_host(&mut self) -> Result<(), AddressError> {
        let end = self.end_of_part();
        let name = &self.text[self.at..end];
        // `file://C:/x` has no host: the drive belongs to the path.
        if host::is_drive(name) {
            self.segments();
            return Ok(());
        }
        let name: String = name.iter().collect();
        if !name.is_empty() {
            let host = host::parse(&name, true)?;
            self.address.host = Some(if host == "localhost" { String::new() } else { host });
        }
        self.at = end;
        self.path();
        Ok(())
    }
}
