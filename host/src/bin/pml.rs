//! The `pml` command: parse, run, exit code.

fn main() -> std::process::ExitCode {
    pml::cli::main()
}
