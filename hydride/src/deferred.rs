//! Arguments of commands that are described only when the command is the one that is given.
//!
//! All commands' options together are several hundred, and to describe them takes longer than a small run.

use std::ops::Deref;

use clap::builder::Resettable;
use clap::error::Error;
use clap::{ArgMatches, Args, Command, FromArgMatches};

/// The arguments of a command, which clap asks for when it needs them.
pub struct Deferred<T>(Box<T>);

impl<T: Args> Args for Deferred<T> {
    fn augment_args(command: Command) -> Command {
        command.defer(|command| described(command, T::augment_args))
    }

    fn augment_args_for_update(command: Command) -> Command {
        command.defer(|command| described(command, T::augment_args_for_update))
    }
}

/// Adds arguments to a command, whose description stays what it was.
fn described(command: Command, augment: fn(Command) -> Command) -> Command {
    let (about, long) = (command.get_about().cloned(), command.get_long_about().cloned());
    augment(command).about(Resettable::from(about)).long_about(Resettable::from(long))
}

impl<T: FromArgMatches> FromArgMatches for Deferred<T> {
    fn from_arg_matches(matches: &ArgMatches) -> Result<Self, Error> {
        T::from_arg_matches(matches).map(|args| Self(Box::new(args)))
    }

    fn update_from_arg_matches(&mut self, matches: &ArgMatches) -> Result<(), Error> {
        self.0.update_from_arg_matches(matches)
    }
}

impl<T> Deref for Deferred<T> {
    type Target = T;

    fn deref(&self) -> &T {
        &self.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What the arguments are of.
    #[derive(Args)]
    struct Own {
        /// A number.
        #[arg(long)]
        number: u32,
    }

    #[test]
    fn arguments_are_there_when_their_command_is_given() {
        let own = Deferred::<Own>::augment_args(Command::new("own").about("what is done"));
        let all = Command::new("all").subcommand(own.clone());
        assert!(own.get_arguments().next().is_none());
        let matches = all.try_get_matches_from(["all", "own", "--number", "3"]).expect("arguments");
        let own_matches = matches.subcommand_matches("own").expect("the command");
        assert_eq!(Deferred::<Own>::from_arg_matches(own_matches).map(|args| args.number).ok(), Some(3));
        let mut built = Command::new("all").subcommand(own);
        built.build();
        let own = built.find_subcommand("own").expect("the command");
        assert_eq!(own.get_about().map(ToString::to_string).as_deref(), Some("what is done"));
    }
}
