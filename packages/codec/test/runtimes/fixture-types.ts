/** A text, or its parts (SPEC.md §12.2). */
export type FixtureText =
  | string
  | { repeat: string; times: number }
  | { numbered: number; before: FixtureText; after: FixtureText; between: string }
  | FixtureText[]

export interface FixtureEntry {
  term: FixtureText
  expansion: FixtureText
}

export interface FixtureError {
  code: string
  offset?: number
  entry?: number
}

interface FixtureCase {
  name: string
  section: string
  illFormed?: true
  error?: FixtureError
}

export interface ParseCase extends FixtureCase {
  header: FixtureText
  lenient?: true
  entries?: FixtureEntry[]
  canonical?: true | string
}

export interface SerializeCase extends FixtureCase {
  entries: FixtureEntry[]
  header?: FixtureText
}

export interface DecodeCase extends FixtureCase {
  rosetta: FixtureText
  content: FixtureText
  maxOutput?: number
  whole?: true
  output?: FixtureText
}

export interface StreamCase extends FixtureCase {
  rosetta: FixtureText
  chunks: string[]
  outputs: string[]
  rest: string
  afterEnd?: FixtureError
}

export interface AnswerCase extends FixtureCase {
  rosetta: FixtureText
  answer: FixtureText
  maxOutput?: number
  output?: FixtureText
  uses?: { term: string; expansion: string; offset: number }[]
}

export interface RestoreCase extends FixtureCase {
  rosetta: FixtureText
  content: FixtureText
  patch: [at: number, removed: number, inserted: string][]
  output?: FixtureText
}

export interface ResolveCase extends FixtureCase {
  answer: FixtureText
  links: string[] | Record<string, string>
  output: FixtureText
}

export type FixtureFile =
  | { kind: 'parse'; cases: ParseCase[] }
  | { kind: 'serialize'; cases: SerializeCase[] }
  | { kind: 'decode'; cases: DecodeCase[] }
  | { kind: 'stream'; cases: StreamCase[] }
  | { kind: 'answer'; cases: AnswerCase[] }
  | { kind: 'restore'; cases: RestoreCase[] }
  | { kind: 'resolve'; cases: ResolveCase[] }
