import type { PackSignature } from '@packs/codec/internal'
import type { SourceMessage } from '@packs/publisher'
import type { Command } from 'commander'
import type { Exit } from './command-error.ts'

/**
 * The program that runs a command provides its output: `@packs/cli`, so that all commands of `pack`
 * print and fail in the same way.
 */
export interface Host {
  readonly parseCount: (text: string) => number
  /** Reads the time limit for building one source from the environment. */
  readonly readBuildSeconds: () => number
  /** Sentence about {@link Host.readBuildSeconds} for the help of commands that build. */
  readonly buildSecondsHelp: string

  readonly writeResult: (text: string) => void
  readonly writeJson: (value: unknown) => void
  /** Writes a line to stdout, and {@link Host.writeNote} to stderr, wrapped to the terminal. */
  readonly writeLine: (line: string) => void
  readonly writeNote: (line: string) => void
  /** Styles text for stdout; returns it plain if stdout is not a terminal or color is off. */
  readonly styleResult: (style: Style, text: string) => string
  /** Escapes characters that could break a line or move the cursor. */
  readonly escapeControls: (text: string) => string
  /** Formats headings and rows as aligned columns, right-aligned if the heading begins with `>`. */
  readonly formatTable: (headings: readonly string[], rows: readonly (readonly string[])[]) => string[]
  readonly formatCount: (count: number) => string
  readonly readColumns: () => number
  readonly startProgress: (
    label: string,
    total: number,
    isQuiet: boolean,
  ) => { readonly show: (done: number, total: number) => void; readonly stop: () => void }

  readonly toDiagnostic: (message: SourceMessage, file: string) => Diagnostic
  /** Returns code, message and hint of any thrown value. A value without them is `internal`. */
  readonly describeError: (error: unknown) => {
    readonly code: string
    readonly message: string
    readonly hint: string
  }
}

export interface SigningKey {
  readonly id: string
  readonly sign: (packDigest: string) => PackSignature
}

export interface ServerCommand {
  /** Declares arguments, options, help and subcommands. The host adds `--json`. */
  readonly configure: (command: Command, host: Host) => void
  /** Runs the command, or the subcommand that was invoked. */
  readonly run: (command: Command, host: Host) => Promise<Exit>
}

export type Style = 'bold' | 'cyan' | 'dim' | 'green' | 'red' | 'yellow'

/** A message about a file. Lines and columns count from 1. */
export interface Diagnostic {
  readonly file: string
  readonly line: number | null
  readonly column: number | null
  readonly severity: 'error' | 'warning' | 'info'
  /** Code of the rule or error, as `docs/errors.md` lists it. */
  readonly rule: string
  readonly message: string
  readonly hint: string | null
  /** What the message lists, such as keys of the front matter. */
  readonly names?: readonly string[]
}
