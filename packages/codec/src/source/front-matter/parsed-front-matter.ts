import type { Finding } from '../messages.ts'

/** The values of a front matter as plain data, and where they are written. */
export interface ParsedFrontMatter {
  /** Absent if the text is invalid. Only read own keys, because the data may have any key. */
  readonly value?: Readonly<Record<string, unknown>>
  readonly isMalformed?: boolean
  /** Keys whose values were read as text; absent if the whole is valid. */
  readonly texts?: ReadonlySet<string>
  readonly findings: readonly Finding[]
  /** Where the value at `path` is written, or its key, or what is nearest to it. */
  readonly find: (path: readonly PropertyKey[], key?: boolean) => FoundText
}

/** A UTF-16 offset in the front matter, and its text if that is known, else empty. */
export interface FoundText {
  readonly offset: number
  readonly text: string
}

export function describeFault(language: 'yaml' | 'toml' | 'json', hint: string, offset: number): Finding {
  const reason = `The front matter is not valid ${language.toUpperCase()}, so each key was read on its own`
  return { rule: `front-matter-${language}`, reason, hint, offset }
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
