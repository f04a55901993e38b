//! `pml run --watch`, as an editor drives it.

use crate::pml;
use std::io::{BufRead, BufReader};

#[test]
fn a_change_of_the_program_or_a_module_runs_it_again() {
    let env = pml();
    env.write("package.json", "{}");
    env.write("lib/part.ts", "export const part: string = 'one'\n");
    env.write("main.ts", "import { part } from './lib/part.ts'\nconsole.log(part)\n");
    let mut child = env.command(&["run", "--watch", "main.ts"]).spawn().expect("it starts");
    let mut stdout = BufReader::new(child.stdout.take().expect("piped")).lines();
    let mut stderr = BufReader::new(child.stderr.take().expect("piped")).lines();
    let mut next = || stdout.next().expect("a line").expect("UTF-8");
    let mut watching = || {
        let line =
            stderr.by_ref().map(|line| line.expect("UTF-8")).find(|line| line.contains("watching"));
        line.expect("it watches")
    };
    assert_eq!(next(), "one");
    assert!(watching().contains("2 files"));
    env.write("lib/part.ts", "export const part: string = 'two'\n");
    assert_eq!(next(), "two");
    watching();
    env.write("main.ts", "console.log('alone'); await mcp.pml.sleep({ ms: 60000 })\n");
    assert_eq!(next(), "alone");
    env.write("main.ts", "console.log('restarted')\n");
    assert_eq!(next(), "restarted");
    child.kill().expect("killed");
    child.wait().expect("gone");
}

#[test]
fn stdin_cannot_be_watched() {
    let output = pml().run_with_stdin(&["run", "--watch", "-"], "1");
    assert_eq!(output.code, 2);
    assert!(output.stderr.contains("stdin cannot be watched"), "{}", output.stderr);
}
