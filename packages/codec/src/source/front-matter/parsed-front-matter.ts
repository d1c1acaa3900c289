import type { Finding } from '../messages.ts'

/** The values of a front matter as plain data, and where they are written. */
export interface ParsedFrontMatter {
  /** Absent if the text is invalid. Only read own keys, because the data may have any key. */
  readonly value?: Readonly<Record<string, unknown>>
  readonly findings: readonly Finding[]
  /** Where the value at `path` is written, or its key, or what is nearest to it. */
  find(path: readonly PropertyKey[], key?: boolean): FoundText
}

/** A UTF-16 offset in the front matter, and its text if that is known, else empty. */
export interface FoundText {
  readonly offset: number
  readonly text: string
}

/** Returns the result for a text that cannot be read at all. */
export function failParsing(finding: Finding): ParsedFrontMatter {
  return { findings: [finding], find: () => ({ offset: finding.offset, text: '' }) }
}

/** A key of ours must be clear. Of others the last is kept, as most tools do. */
export function describeDuplicate(name: string, isOurs: boolean, offset: number): Finding {
  const reason = `The key ${JSON.stringify(name.slice(0, 80))} occurs twice`
  return {
    rule: 'duplicate-key',
    ...(isOurs ? {} : { severity: 'info', names: [name.slice(0, 80)] }),
    reason: isOurs ? reason : `${reason}; the last value is kept`,
    hint: 'Keep one of them.',
    offset,
  }
}
