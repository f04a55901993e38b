//! How the phases of a call are drawn: a mark, a colour and a name for each.

use crate::ui::{DIM, GOOD, WAITING};
use anstyle::{AnsiColor, Style};
use pml::journal::CallPhase;

/// The look of a phase.
pub(super) struct PhaseLook {
    pub(super) phase: CallPhase,
    pub(super) mark: char,
    pub(super) style: Style,
    pub(super) name: &'static str,
}

const fn look(phase: CallPhase, mark: char, style: Style, name: &'static str) -> PhaseLook {
    PhaseLook { phase, mark, style, name }
}

/// All phases. If several share a cell of a bar, the first of them is drawn.
pub(super) const PHASES: &[PhaseLook] = &[
    look(CallPhase::Executing, '█', GOOD, "running"),
    look(CallPhase::Installing, '▓', AnsiColor::Magenta.on_default(), "installing"),
    look(CallPhase::Starting, '▒', AnsiColor::Blue.on_default(), "starting the server"),
    look(CallPhase::Asked, '░', WAITING, "waiting for a person"),
    look(CallPhase::Sleeping, '─', DIM, "timer"),
    look(CallPhase::Queued, '·', DIM, "queued"),
];

/// Returns the look of a phase, or `None` if this version does not know the phase.
pub(super) fn look_of(phase: CallPhase) -> Option<&'static PhaseLook> {
    PHASES.iter().find(|look| look.phase == phase)
}
