//! Headers as plain fields.

use super::number::{json, signed, unsigned};
use crate::model::{RunId, Tenant, Timestamp};
use crate::store::RunHeader;
use std::borrow::Cow;

/// A header as plain fields, without the id of its run.
#[derive(Clone, Debug, PartialEq)]
pub(in crate::store) struct EncodedHeader<'a> {
    pub(in crate::store) format: u32,
    pub(in crate::store) pml: Cow<'a, str>,
    pub(in crate::store) guest: Cow<'a, str>,
    pub(in crate::store) script: Cow<'a, str>,
    pub(in crate::store) program: Cow<'a, str>,
    pub(in crate::store) inputs: Cow<'a, str>,
    pub(in crate::store) seed: [u8; 32],
    pub(in crate::store) created: i64,
    pub(in crate::store) started: i64,
    /// One JSON text.
    pub(in crate::store) limits: Cow<'a, str>,
    pub(in crate::store) resumed_from: Option<[u8; 16]>,
    pub(in crate::store) checkpoint: Option<Cow<'a, str>>,
    pub(in crate::store) lock: Option<Cow<'a, str>>,
    pub(in crate::store) trace: Cow<'a, str>,
    pub(in crate::store) tenant: Cow<'a, str>,
}

impl<'a> EncodedHeader<'a> {
    /// Encodes a header.
    pub(in crate::store) fn of(header: &'a RunHeader) -> EncodedHeader<'a> {
        EncodedHeader {
            format: header.format,
            pml: (&header.pml).into(),
            guest: (&header.guest).into(),
            script: (&header.script).into(),
            program: (&header.program).into(),
            inputs: (&header.inputs).into(),
            seed: header.seed,
            created: signed(header.created.0),
            started: signed(header.started.0),
            limits: json(&header.limits).into(),
            resumed_from: header.resumed_from.map(|run| *run.as_bytes()),
            checkpoint: header.checkpoint.as_ref().map(Cow::from),
            lock: header.lock.as_ref().map(Cow::from),
            trace: (&header.trace).into(),
            tenant: header.tenant.to_string().into(),
        }
    }

    /// Decodes the header of a run. The error describes the damage to `limits`, the one field that
    /// can be invalid.
    pub(in crate::store) fn decode(self, run: RunId) -> Result<RunHeader, String> {
        Ok(RunHeader {
            run,
            format: self.format,
            pml: self.pml.into_owned(),
            guest: self.guest.into_owned(),
            script: self.script.into_owned(),
            program: self.program.into_owned(),
            inputs: self.inputs.into_owned(),
            seed: self.seed,
            created: Timestamp(unsigned(self.created)),
            started: Timestamp(unsigned(self.started)),
            limits: serde_json::from_str(&self.limits).map_err(|error| error.to_string())?,
            resumed_from: self.resumed_from.map(RunId::from_bytes),
            checkpoint: self.checkpoint.map(Cow::into_owned),
            lock: self.lock.map(Cow::into_owned),
            trace: self.trace.into_owned(),
            tenant: Tenant::new(self.tenant.into_owned()),
        })
    }
}
