import { decodeAnswerDeep, decodeDeep, type Rosetta } from '@packs/codec'

/** What a model has written: a text, or the value of a tool call. */
export interface Output {
  readonly language: string
  /** What it is, such as `prose`, `prices` or `tool_call`; `mixed_scripts` is written in several scripts on purpose. */
  readonly kind: string
  readonly text?: string
  readonly value?: unknown
}

/** Outputs of one group that decoding changes, with the headers of some prompts. */
export interface Changes {
  readonly group: string
  readonly outputs: number
  readonly headers: number
  readonly decodeAnswer: Changed
  readonly decode: Changed
}

interface Changed {
  /** Outputs that at least one header changes. */
  readonly outputs: number
  /** Pairs of output and header that change. */
  readonly pairs: number
}

/** Languages whose letters are terms of `dense-1` and `max-1`. */
const TERM_LANGUAGES = new Set(['zh', 'ja', 'ko', 'th'])

/** Names the group of an output: whether its language is written in letters of terms, and whether it mixes scripts. */
export function groupOutput({ language, kind }: Output): string {
  const letters = TERM_LANGUAGES.has(language) ? 'zh, ja, ko, th' : 'other languages'
  return kind === 'mixed_scripts' ? `${letters}, mixed` : letters
}

/** Counts the outputs of each group that change. */
export function countChanges(
  outputs: readonly Output[],
  headers: readonly Rosetta[],
  group: (output: Output) => string = groupOutput,
): Changes[] {
  return [...Map.groupBy(outputs, group)]
    .toSorted(([a], [b]) => (a < b ? -1 : 1))
    .map(([name, members]) => {
      const values = members.map(({ text, value }) => text ?? value)
      return {
        group: name,
        outputs: members.length,
        headers: headers.length,
        decodeAnswer: countChanged(values, headers, decodeAnswerDeep),
        decode: countChanged(values, headers, decodeDeep),
      }
    })
}

function countChanged(
  values: readonly unknown[],
  headers: readonly Rosetta[],
  decode: (value: unknown, header: Rosetta) => unknown,
): Changed {
  const times = values.map(() => 0)
  for (const header of headers) {
    // Each string of a value is an answer of its own, so all can be decoded at once.
    const decoded = decode(values, header) as unknown[]
    for (const [at, value] of values.entries())
      times[at]! += Number(JSON.stringify(decoded[at]) !== JSON.stringify(value))
  }
  return {
    outputs: times.filter((count) => count > 0).length,
    pairs: times.reduce((sum, count) => sum + count, 0),
  }
}
