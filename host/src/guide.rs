//! The manual: how to write programs, configure servers, answer questions and embed pml.
//!
//! [programs]: crate::guide::programs
//! [servers]: crate::guide::servers
//! [lock]: crate::guide::lock
//! [approvals]: crate::guide::approvals
//! [durability]: crate::guide::durability
//! [mcp]: crate::guide::mcp
//! [embedding]: crate::guide::embedding
//! [security]: crate::guide::security
//! [settings]: crate::guide::settings
//! [commands]: crate::guide::commands
//! [errors]: crate::guide::errors
//! [speed]: crate::guide::speed
#![doc = include_str!("../docs/README.md")]

/// Makes a module of each page. Its links are those of this documentation: the first definition of
/// a link counts, and the definitions in the page come later.
macro_rules! pages {
    ($($(#[doc = $summary:literal])+ $name:ident = $file:literal;)+) => {
        $(
            $(#[doc = $summary])+
            ///
            /// [manual]: crate::guide
            /// [programs]: crate::guide::programs
            /// [servers]: crate::guide::servers
            /// [lock]: crate::guide::lock
            /// [approvals]: crate::guide::approvals
            /// [durability]: crate::guide::durability
            /// [mcp]: crate::guide::mcp
            /// [embedding]: crate::guide::embedding
            /// [security]: crate::guide::security
            /// [settings]: crate::guide::settings
            /// [commands]: crate::guide::commands
            /// [errors]: crate::guide::errors
            /// [speed]: crate::guide::speed
            #[doc = include_str!($file)]
            pub mod $name {}
        )+
    };
}

pages! {
    /// What a program is, what it sees, and what limits it.
    programs = "../docs/programs.md";
    /// MCP servers, the policy, trust, and packages.
    servers = "../docs/servers.md";
    /// The lockfile: what it holds, what it decides, and how to freeze it.
    lock = "../docs/lock.md";
    /// How a person is asked, and what an approval covers.
    approvals = "../docs/approvals.md";
    /// Runs that survive: the journal, resuming, checkpoints.
    durability = "../docs/durability.md";
    /// `pml stdio` for MCP clients: tools, answers, protocol support.
    mcp = "../docs/mcp.md";
    /// The crate `pml` in a program of your own.
    embedding = "../docs/embedding.md";
    /// Who can do what, and what is not promised.
    security = "../docs/security.md";
    /// Every key of `.pml.json` and of your own settings.
    settings = "../docs/settings.md";
    /// Every command and flag.
    commands = "../docs/commands.md";
    /// JSON answers, exit codes and error codes.
    errors = "../docs/errors.md";
    /// What was measured, beside other sandboxes.
    speed = "../docs/speed.md";
}

/// The examples of `README.md`, as tests.
#[cfg(doctest)]
#[doc = include_str!("../../README.md")]
struct ReadmeExamples;
