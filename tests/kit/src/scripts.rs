//! Programs that several tests run.

/// Asks once, between two lines.
pub const CONFIRM: &str = "\
console.log('before')
const { approved } = await mcp.pml.confirm({ message: 'go on?', token: 's3cret' })
console.log('after')
return { approved }
";

/// Asks for two things at once.
pub const CONFIRM_TWO: &str = "\
const both = await Promise.allSettled(['one', 'two'].map(message => mcp.pml.confirm({ message })))
return both.map(each => each.status === 'fulfilled' ? 'yes' : each.reason.code)
";

/// Calls the toolbox once.
pub const COUNT: &str = "return (await mcp.box.count()).n";

/// Calls two tools of the toolbox at once.
pub const COUNT_AND_ECHO: &str = "\
const both = await Promise.allSettled([mcp.box.count(), mcp.box.echo({ text: 'b' })])
return both.map(each => each.status === 'fulfilled' ? 'yes' : each.reason.code)";

/// Calls a tool of the toolbox twelve times at once: more calls than one dialog shows.
pub const ECHO_TWELVE: &str = "\
const calls = Array.from({ length: 12 }, (_, n) => mcp.box.echo({ text: `${n + 1}` }))
const all = await Promise.allSettled(calls)
return all.map(each => each.status === 'fulfilled' ? each.value : each.reason.code)";
