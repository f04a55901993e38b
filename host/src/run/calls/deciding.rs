//! What the door says to a call whose tool was found: it goes, somebody is asked, or it is refused.

use super::meeting::{Agreed, By};
use super::open::Calls;
use crate::model::{AskKind, CallError, CallId, Change, Need, Origin, Since};
use crate::router::{Found, Given, Subject, Verdict as Door, Why};
use crate::run::perform::parse;
use crate::store::{Noted, Verdict};

/// Why a call is asked about that an earlier run made.
const MADE_BEFORE: &str = "the earlier run made this call, and nobody knows what became of it";

/// How often a call is asked about the same that it lacks: somebody may say yes before it is there.
const PATIENCE: u32 = 3;

/// What is known of a call beside its tool.
pub(super) enum Standing {
    /// Nothing.
    Fresh,
    /// The run that this one takes up made it, and nobody knows its outcome.
    MadeBefore,
    /// Somebody has agreed to what it lacked, and that was brought about.
    Agreed(Agreed),
}

/// What becomes of it.
enum Next {
    Send(Found),
    /// What it lacks is brought about without asking.
    Meet(Found, Box<Need>),
    Ask(Found, AskKind, String),
}

impl Calls {
    /// Decides on a call whose tool was found, or is known not to be there.
    pub(super) fn decide_on(
        &mut self,
        id: CallId,
        found: Result<Found, CallError>,
        arguments: String,
        standing: Standing,
    ) -> Verdict {
        if let (Ok(found), Standing::Agreed(agreed)) = (&found, &standing) {
            self.notes.extend(agreed.noted(found));
            if found.need.is_none() {
                self.granted.known(found);
            }
        }
        match found.and_then(|found| self.next_of(id, found, &arguments, &standing)) {
            Err(error) => {
                self.released += arguments.len();
                self.refuse(id, error)
            }
            Ok(Next::Send(found)) => {
                self.enqueue(id, found, arguments);
                Verdict::Go
            }
            Ok(Next::Meet(found, need)) => {
                self.meet(id, found, arguments, Agreed { need, by: By::Policy });
                Verdict::Find
            }
            Ok(Next::Ask(found, kind, reason)) => {
                if let Some(Need::Change(change)) = &found.need
                    && change.since == Since::Grant
                {
                    let (tool, differences) = (found.tool.clone(), change.differences.clone());
                    self.notes.push(Noted::Lapsed { tool, differences });
                }
                self.ask(id, found, arguments, kind, reason.clone(), None);
                Verdict::Ask { kind, reason }
            }
        }
    }

    fn next_of(
        &self,
        id: CallId,
        mut found: Found,
        arguments: &str,
        standing: &Standing,
    ) -> Result<Next, CallError> {
        let (tool, origin) = (&found.tool, found.origin.as_ref());
        let subject = Subject { tool, origin, arguments: Given::Text(arguments) };
        let verdict = match self.router.verdict(subject) {
            Door::Deny(error) => return Err(error),
            Door::Ask(_) if self.granted.covers(tool, origin, arguments) => Door::Go,
            other => other,
        };
        let agreed = match standing {
            Standing::Agreed(agreed) => Some(agreed),
            _ => None,
        };
        // What was agreed to and is still lacking would be asked about for ever.
        if let (Some(need), Some(agreed)) = (&found.need, agreed)
            && need.kind() == agreed.need.kind()
            && self.met.get(&(id, need.kind())).is_some_and(|times| *times >= PATIENCE)
        {
            return Err(agreed.in_vain());
        }
        let (kind, reason) = match (standing, &verdict, found.need.clone()) {
            (Standing::MadeBefore, ..) => {
                // What it lacks is another question: a yes to this one is none to that.
                found.need = None;
                (AskKind::UncertainCall, MADE_BEFORE.to_owned())
            }
            (_, Door::Go, Some(need)) if need.kind() == AskKind::Dependency => {
                return Ok(Next::Meet(found, Box::new(need)));
            }
            (_, verdict, Some(need)) => {
                let again = agreed.is_some_and(|agreed| agreed.need.kind() == need.kind());
                let still = if again { "it is still not there: " } else { "" };
                (need.kind(), format!("{still}{}", reason_of(&need, verdict)))
            }
            (_, verdict, None) => match self.change(&found, verdict) {
                Some(change) => {
                    let reason = match verdict {
                        Door::Ask(why) if why.lapsed.is_some() => why.reason.clone(),
                        _ => since(change.since).to_owned(),
                    };
                    found.need = Some(Need::Change(change));
                    (AskKind::Integrity, reason)
                }
                None => match verdict {
                    Door::Ask(why) if !agreed.is_some_and(Agreed::by_person) => {
                        (AskKind::ToolPermission, why.reason.clone())
                    }
                    _ => return Ok(Next::Send(found)),
                },
            },
        };
        // Nobody is bothered about a call that would be refused afterwards.
        let value = parse(arguments)?;
        self.router.check(&found.tool, &value)?;
        Ok(Next::Ask(found, kind, reason))
    }

    /// How a tool differs from what it was when somebody relied on it.
    fn change(&self, found: &Found, verdict: &Door) -> Option<Change> {
        let now = found.origin.as_ref();
        if let Door::Ask(Why { lapsed: Some(before), .. }) = verdict {
            return Some(self.differing(found, before, Since::Grant));
        }
        let before = self.origins.get(&found.tool).filter(|before| Some(*before) != now)?;
        // What is not known to be another tool is the same one.
        now.map(|_| self.differing(found, before, Since::EarlierCall))
    }

    /// What differs between a tool and what it was.
    pub(super) fn differing(&self, found: &Found, before: &Origin, since: Since) -> Change {
        let now = found.origin.as_ref();
        let differences =
            now.map_or_else(Vec::new, |now| self.router.differences(&found.tool, before, now));
        Change::new(since, differences)
    }
}

/// Why a tool that is another is asked about.
pub(super) fn since(since: Since) -> &'static str {
    match since {
        Since::Grant => {
            "it is not what was allowed for good: its definition or its server has changed since"
        }
        Since::EarlierCall => {
            "its definition or its server has changed since this run called it before"
        }
        _ => "its definition or its server has changed since it was decided about",
    }
}

fn reason_of(need: &Need, verdict: &Door) -> String {
    let policy = match verdict {
        // Whether it is still what was allowed, nobody knows before it is there.
        Door::Ask(why) if why.lapsed.is_none() => format!("; {}", why.reason),
        _ => String::new(),
    };
    match need {
        Need::Install(package) if package.changed => {
            format!("what is installed for server `{}` is not what was installed", package.server)
        }
        Need::Install(package) => format!("server `{}` is not installed{policy}", package.server),
        Need::Variables(variables) => format!(
            "server `{}` needs `{}`: write it into `{}` before you go on{policy}",
            variables.server,
            variables.names.join("`, `"),
            variables.file
        ),
        Need::Trust(trust) => format!("{}{policy}", trust.reason),
        Need::Change(change) => since(change.since).into(),
    }
}
