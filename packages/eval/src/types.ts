import type { Scheme } from '@packs/codec'
import type { ComposedPrompt, ComposeOptions, PromptDocument } from '@packs/codec/compress'
import type { Pack } from '@packs/codec/pack'

/** What a question asks for; its kind decides how an answer is graded. */
export const QUESTION_KINDS = [
  'fact',
  'quote',
  'number',
  'identifier',
  'two-places',
  'condition',
  'count',
] as const

export type QuestionKind = (typeof QUESTION_KINDS)[number]

export interface Question {
  readonly id: string
  readonly doc: string
  readonly kind: QuestionKind
  readonly question: string
  readonly answer: string
  /** Other forms that are right. */
  readonly accept: readonly string[]
  /** Passages of the document that the answer follows from, word for word. */
  readonly evidence: readonly string[]
}

/** `undecided`: the judge contradicts itself, or did not say. */
export type Grade = 'right' | 'wrong' | 'undecided'

export interface Graded {
  readonly grade: Grade
  readonly by: 'rule' | 'judge'
}

/**
 * What a model is given with a question: the source; the source again, for the noise between equal
 * prompts; the pack under a scheme; no document; the pack under the densest scheme, without its
 * header and instruction.
 */
export type ArmName = 'source' | 'source-again' | 'no-document' | 'no-header' | EvalScheme

/** Schemes that can be compared with the source, the lightest first. */
export type EvalScheme = Exclude<Scheme, 'none'>
export const SCHEMES: readonly EvalScheme[] = ['minify-1', 'dense-2', 'max-2']

/** Ends of an interval for a difference of shares, from -1 to 1. */
export type Interval = readonly [low: number, high: number]

/** How the answers of an arm compare with those from the source, question by question. */
export interface PairedFigures {
  readonly questions: number
  readonly documents: number
  readonly both_right: number
  /** Right in the arm, wrong from the source. */
  readonly only_arm: number
  /** Right from the source, wrong in the arm. */
  readonly only_source: number
  readonly both_wrong: number
  /** Share of right answers in the arm, less that from the source. */
  readonly difference: number
  readonly interval: Interval
  /** How the interval was computed; of two, the wider one. */
  readonly method: 'score' | 'cluster'
}

/**
 * - `as good`: the interval lies above the margin below the source
 * - `worse`: the interval lies below 0
 * - `too few questions`: neither
 * - `not tested`: an earlier scheme was not as good
 * - `same prompt`: the scheme writes the source, so it was not asked
 * - `no verdict`: the test itself is in doubt, for the reason in `warnings`
 */
export type Verdict = 'as good' | 'worse' | 'too few questions' | 'not tested' | 'same prompt' | 'no verdict'

export interface SchemeOutcome {
  readonly scheme: EvalScheme
  readonly verdict: Verdict
  /** With undecided answers taken for right; null for the same prompt. */
  readonly figures: PairedFigures | null
  /** With undecided answers taken for wrong; null if none are undecided. */
  readonly undecided_wrong: PairedFigures | null
  /** For `too few questions`: about how many it would take; null if no number would do. */
  readonly needed: number | null
}

/** Tokens as the endpoint billed them; null where it did not report them. */
export interface BilledTokens {
  readonly input: number | null
  readonly cached: number | null
  readonly output: number | null
  readonly reasoning: number | null
}

export interface ArmFigures {
  readonly arm: ArmName
  /** Tokens of all system prompts of the arm, each counted once, as this program counts. */
  readonly prompt_tokens: number
  /** The prompts are those of the source, so nothing was asked. */
  readonly same_prompt: boolean
  readonly right: number
  readonly wrong: number
  readonly undecided: number
  readonly empty: number
  /** Answers that the endpoint cut off at its limit of tokens. */
  readonly cut: number
  readonly tokens: BilledTokens
  /** Dollars at the given prices. */
  readonly cost: number | null
  readonly cost_per_right: number | null
  /** Milliseconds from request to answer. */
  readonly latency: { readonly median: number; readonly p95: number } | null
  /** Answers that have terms of the header, and uses of terms in them. */
  readonly terms: { readonly answers: number; readonly uses: number }
}

/** A question whose grade is not the same in all arms with a document. */
export interface DifferingQuestion {
  readonly question: Question
  /** Terms of the densest scheme whose expansions the evidence has. */
  readonly terms: readonly { readonly term: string; readonly expansion: string }[]
  readonly answers: readonly (Graded & { readonly arm: ArmName; readonly text: string })[]
}

/** The result of an evaluation, as `--json` prints it. */
export interface EvalResult {
  readonly ok: true
  readonly format: 'packs-eval-1'
  /** When the last answer came, ISO 8601 in UTC. */
  readonly date: string
  readonly model: string
  /** Names that the endpoint gave the model. */
  readonly returned: readonly string[]
  /** Null for a model of `packs.eval.ts`. */
  readonly url: string | null
  /** Null if no answer needed a judge. */
  readonly judge: {
    readonly model: string
    readonly is_reader: boolean
    /** Wrong answers that the judge was given to test it, and how many it took for right. */
    readonly controls: { readonly asked: number; readonly accepted: number }
  } | null
  readonly margin: number
  readonly together: boolean
  readonly packs: readonly {
    readonly slug: string
    readonly version: string
    readonly compression: Pack['compression']
    readonly pack_digest: string
    /** Questions about it; `--together` may have packs without any. */
    readonly questions: number
  }[]
  readonly questions: {
    readonly asked: number
    /** Right without the document, so left out of every verdict. */
    readonly excluded: number
    readonly generated: boolean
    readonly kinds: Readonly<Partial<Record<QuestionKind, number>>>
  }
  readonly schemes: readonly SchemeOutcome[]
  readonly arms: readonly ArmFigures[]
  /** The source again, compared with the source. */
  readonly noise: PairedFigures
  /** The pack without its header, compared with the source; null if no scheme has a header. */
  readonly control: PairedFigures | null
  readonly calls: { readonly all: number; readonly stored: number; readonly made: number }
  /** Dollars of all calls, stored ones included; null without prices. */
  readonly cost: number | null
  /** What a reader must know before trusting the figures. */
  readonly warnings: readonly string[]
  readonly differing: readonly DifferingQuestion[]
}

/**
 * The program that runs the command provides input and output, so that all commands of `pack` read
 * packs, print and fail in the same way.
 */
export interface Host {
  readonly readPacks: (inputs: readonly string[], isQuiet: boolean) => Promise<readonly Pack[]>
  /** Starts a thread that composes prompts, each within the time limit of builds. */
  readonly openComposer: (isQuiet: boolean) => Composer
  /**
   * Imports a module of the working folder; undefined if there is no such file.
   * @throws an error with a hint if it fails, or if other users can change it
   */
  readonly importFile: (names: readonly string[]) => Promise<Readonly<Record<string, unknown>> | undefined>
  /** `-` is stdin. */
  readonly readText: (path: string, maxBytes: number) => Promise<string>
  /** Writes a file that the user named, in one step. */
  readonly writeFile: (path: string, text: string) => void
  /** The key of the endpoint, from `PACK_EVAL_KEY`. */
  readonly readKey: () => string | undefined
  /** Values of the environment that must not be stored or shown. */
  readonly readSecrets: () => readonly string[]
  readonly parseCount: (text: string) => number

  /** Columns of the terminal; 100 elsewhere. */
  readonly columns: number
  readonly writeResult: (text: string) => void
  readonly writeJson: (value: unknown) => void
  readonly writeNote: (line: string) => void
  readonly styleResult: (style: 'bold' | 'cyan' | 'dim' | 'green' | 'red' | 'yellow', text: string) => string
  readonly escapeControls: (text: string) => string
  readonly formatTable: (headings: readonly string[], rows: readonly (readonly string[])[]) => string[]
  readonly formatCount: (count: number) => string
  /** Shows a counter of finished parts on stderr, only on a terminal. */
  readonly startProgress: (label: string, total: number, isQuiet: boolean) => Progress
}

interface Progress {
  readonly show: (done: number, total: number, note?: string) => void
  readonly stop: () => void
}

export interface Composer {
  /** @throws an error with a hint */
  readonly compose: (
    documents: readonly PromptDocument[],
    shown: readonly string[],
    options: ComposeOptions,
  ) => Promise<ComposedPrompt>
  readonly close: () => Promise<void>
}

export type Exit = 'done' | 'findings'
