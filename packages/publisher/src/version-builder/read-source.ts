import { createHash } from 'node:crypto'
import type { BuildSettings } from '@packs/catalog'
import { parseSource, type Source } from '@packs/codec/source'
import { PublishError, type SourceMessage } from '../publish-error.ts'

/** A source file as it was found. */
export interface SourceFile {
  readonly bytes: Uint8Array
  /** As messages show it; slug and title are taken from it where nothing else gives them. A README's names its folder. */
  readonly path: string
}

/** A source file that could be read. */
export interface ReadSource {
  readonly file: SourceFile
  readonly source: Source
  readonly sourceDigest: string
  readonly settings: BuildSettings
  /** Warnings. */
  readonly messages: readonly SourceMessage[]
}

/** Reads a source file. @throws PublishError `bad_source` */
export function readSource(file: SourceFile): ReadSource {
  const { bytes, path } = file
  const { source, messages } = parseSource(bytes, { path })
  if (source === undefined) throw sourceError(path, messages)
  const settings = resolveSettings(source)
  return { file, source, sourceDigest: digestSource(bytes, settings), settings, messages }
}

export function sourceError(path: string, messages: readonly SourceMessage[]): PublishError {
  const errors = messages.filter(({ fatal }) => fatal === true)
  const [first] = errors
  const count = errors.length === 1 ? 'an error' : `${errors.length} errors, the first`
  return new PublishError(
    'bad_source',
    `${path} has ${count} on line ${first?.line ?? 1}: ${first?.ruleId ?? 'source'}`,
    'Run `pack build` on it to see what is wrong, and correct it.',
    { messages },
  )
}

/** The settings that a source is built with. */
export function resolveSettings({ compression, code, tokenizer }: Source): BuildSettings {
  return { scheme: compression, code, tokenizer }
}

/** SHA-256 of bytes, hexadecimal. */
export function hashBytes(bytes: Uint8Array): string {
  return createHash('sha256').update(bytes).digest('hex')
}

/** SHA-256 that tells whether a source was published before: of its bytes and of the settings it is built with. */
export function digestSource(bytes: Uint8Array, { scheme, code, tokenizer }: BuildSettings): string {
  return hashBytes(Buffer.from(JSON.stringify([hashBytes(bytes), scheme, code, tokenizer])))
}
