import type { PackSignature } from '@packs/codec/internal'
import type { SourceDefaults } from '@packs/codec/pack'
import type { SourceMessage } from '@packs/publisher'
import type { Command, Option } from 'commander'
import type { Exit } from './command-error.ts'

/**
 * The program that runs a command provides input and output: `@packs/cli`, so that all commands of
 * `pack` find sources, print and fail in the same way.
 */
export interface Host {
  /** Declares the options of commands that find sources, such as `--ext` and `--config`. */
  readonly addSourceOptions: (command: Command) => Command
  readonly createSchemeOption: (description: string) => Option
  /**
   * Finds the sources of a command like `pack build`.
   * @param folder absolute path of a folder to skip
   * @throws an error with a hint if there are none, or if the configuration is invalid
   */
  readonly findSources: (command: Command, folder: string) => Promise<FoundSources>
  /** Reads a source, or stdin for `-`, like `pack build`. */
  readonly readSource: (source: FoundSource) => Promise<ReadText>
  /** @throws an error with a hint, even if the file is merely readable by others */
  readonly readSigningKey: (path: string) => Promise<SigningKey>
  /** Runs a git command that reads objects, without running programs named by the repository. */
  readonly runGit: (folder: string, args: readonly string[], maxBytes: number) => Promise<Uint8Array>

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
  readonly styleNote: (style: Style, text: string) => string
  /** Escapes characters that could break a line or move the cursor. */
  readonly escapeControls: (text: string) => string
  /** Formats headings and rows as aligned columns, right-aligned if the heading begins with `>`. */
  readonly formatTable: (headings: readonly string[], rows: readonly (readonly string[])[]) => string[]
  readonly formatCount: (count: number) => string
  readonly formatPercent: (percent: number) => string
  readonly readColumns: () => number
  readonly quotePath: (path: string) => string
  readonly startProgress: (
    label: string,
    total: number,
    isQuiet: boolean,
  ) => { readonly show: (done: number, total: number) => void; readonly stop: () => void }

  readonly toDiagnostic: (message: SourceMessage, file: string) => Diagnostic
  /** Writes diagnostics to stderr; repeated ones are counted unless `isVerbose`. */
  readonly reportDiagnostics: (diagnostics: readonly Diagnostic[], isVerbose: boolean) => void
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

/** An input file. `path` is absolute, or `-` for stdin; `shown` is its name in messages. */
export interface FoundSource {
  readonly path: string
  readonly shown: string
  /** From its path in a folder and from the configuration; front matter overrides them. */
  readonly defaults?: SourceDefaults
}

/** The text of a source, with includes resolved and prepared according to the configuration. */
export interface ReadText {
  readonly bytes: Uint8Array
  readonly messages: readonly Diagnostic[]
  /** Maps messages about the text to their positions in the file. */
  readonly place: (diagnostics: readonly Diagnostic[]) => readonly Diagnostic[]
}

/** The files named by the inputs, and the errors of inputs that name none. */
export interface FoundSources {
  readonly files: readonly FoundSource[]
  /** Sources that readers of the site do not see, such as drafts. */
  readonly skipped: readonly (FoundSource & { readonly kind: string })[]
  readonly messages: readonly Diagnostic[]
  readonly failures: readonly (Error & { readonly file: string | undefined })[]
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
