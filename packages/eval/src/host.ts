import type { Pack } from '@packs/codec/pack'
import type { ComposedPrompt, ComposeOptions, PromptDocument } from '@packs/codec/prompt'

/**
 * Input and output, provided by the program that runs the command, so that all commands of `pack`
 * read packs, print and fail in the same way, and this package does not import the cli.
 */
export interface Host {
  /**
   * Reads packs of files, folders, globs and `packs.lock`.
   *
   * @throws an error with a hint
   */
  readonly readPacks: (inputs: readonly string[], isQuiet: boolean) => Promise<readonly Pack[]>
  /** Starts a thread that composes prompts, each within the time limit of builds. */
  readonly openComposer: (isQuiet: boolean) => Composer
  /**
   * Imports a module in TypeScript or JavaScript that the working folder has.
   *
   * @returns its exports; undefined if there is no such file
   * @throws an error with a hint if it fails, or if other users can change it
   */
  readonly importFile: (names: readonly string[]) => Promise<Readonly<Record<string, unknown>> | undefined>
  /**
   * Reads a text file, or stdin for `-`.
   *
   * @throws an error with a hint
   */
  readonly readText: (path: string, maxBytes: number) => Promise<string>
  /**
   * Checks that a file can be written, before anything is paid.
   *
   * @throws an error with a hint
   */
  readonly checkOutput: (path: string) => void
  /**
   * Writes a file that the user named, in one step.
   *
   * @throws an error with a hint
   */
  readonly writeFile: (path: string, text: string) => void
  /** The key of the endpoint, from `PACK_EVAL_KEY`. */
  readonly readKey: () => string | undefined
  /** Values of the environment that must not be stored or shown. */
  readonly readSecrets: () => readonly string[]
  readonly parseCount: (text: string) => number
  readonly parsePercent: (text: string) => number

  /** Columns of the terminal; 100 elsewhere. */
  readonly columns: number
  readonly writeResult: (text: string) => void
  readonly writeJson: (value: unknown) => void
  /** Writes a line to stderr. */
  readonly writeNote: (line: string) => void
  readonly styleResult: (style: 'bold' | 'cyan' | 'dim' | 'green' | 'red' | 'yellow', text: string) => string
  readonly escapeControls: (text: string) => string
  readonly formatTable: (headings: readonly string[], rows: readonly (readonly string[])[]) => string[]
  readonly formatCount: (count: number) => string
  /** Shows what a function returns on a line of stderr, only on a terminal. */
  readonly startStatus: (
    describe: () => string | undefined,
    isQuiet: boolean,
  ) => { readonly stop: () => void }
}

/** A thread that composes prompts. */
export interface Composer {
  /** @throws an error with a hint */
  readonly compose: (
    documents: readonly PromptDocument[],
    shown: readonly string[],
    options: ComposeOptions,
  ) => Promise<ComposedPrompt>
  readonly close: () => Promise<void>
}

/** The command, as the program loads it. */
export type Exit = 'done' | 'findings'
