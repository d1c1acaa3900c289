import type { Command } from 'commander'
import type { ExitStatus } from './exit-status.ts'

/** The exports of a command's file. */
export interface CommandModule {
  /** Declares arguments, options, help and subcommands. Every command also gets `--json`. */
  readonly configure: (command: Command) => void
  /** Runs the command, or the subcommand that was called. @throws CliError, CodecError and other errors with a hint */
  readonly run: (command: Command) => Promise<ExitStatus>
}
