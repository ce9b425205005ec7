//! `cargo xtask`: every task a person runs on this project.

mod bench_web;
mod browser;
mod command;
mod lock;
mod project;
mod prose;
mod replay;
mod report;
mod site;
mod size;
mod test;
mod tools;

use command::Task;
use std::process::ExitCode;

/// What went wrong, as a sentence for the person at the keyboard: what, where, what to do.
type Failure = String;

fn main() -> ExitCode {
    let task = match command::read(std::env::args().skip(1)) {
        Ok(task) => task,
        Err(failure) => {
            eprintln!("{failure}\n\n{}", command::HELP);
            return ExitCode::from(2);
        }
    };
    let done = match task {
        Task::Help => {
            print!("{}", command::HELP);
            Ok(())
        }
        Task::Serve { port } => site::serve(port),
        Task::Build { public_url, dist } => site::build(public_url.as_deref(), &dist),
        Task::Test { fast } => test::everything(fast),
        Task::Prose => prose::check(),
        Task::Replay { paths } => match replay::recordings(&paths) {
            Ok(true) => Ok(()),
            // The counts are the last line and say it.
            Ok(false) => return ExitCode::FAILURE,
            Err(failure) => Err(failure),
        },
        Task::Size { dist } => size::print(&dist),
        Task::BenchWeb { dist, lab, runs } => bench_web::print(&dist, lab.as_deref(), runs),
        Task::Bench { arguments } => project::bench(&arguments),
    };
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(failure) => {
            eprintln!("\n{failure}");
            ExitCode::FAILURE
        }
    }
}
