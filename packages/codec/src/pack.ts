import anyAscii from 'any-ascii'
import { useTable } from './source/derive-slug.ts'
import { describeHidden } from './source/front-matter/page-state.ts'
import { readFrontMatter } from './source/front-matter/read-front-matter.ts'
import { parseText } from './source/parse-text.ts'
import { PackError } from './pack/pack-error.ts'
import type { SourceOptions, SourceResult } from './source/types.ts'

// Whole files: a bundle in parts would load all of them for a part that needs one name.
export * from './pack-builder/build-pack.ts'
export type { BuildOptions, BuildResult } from './pack-builder/build-pack-sync.ts'
export type { BuildRule } from './pack-builder/diagnostics.ts'
export type { JsonObject, JsonValue } from './pack/canonical-json.ts'
export type { Dialect, MinifyOptions, MinifyRule } from './minify/types.ts'
export * from './pack/check-pack.ts'
export * from './pack/pack-error.ts'
export * from './pack/pack-schema.ts'
export * from './pack/parse-pack.ts'
export type { SourceRule } from './source/messages.ts'
export type {
  Position,
  Source,
  SourceDefaults,
  SourceMessage,
  SourceOptions,
  SourceResult,
} from './source/types.ts'

/**
 * Parses a source file: front matter, body, directives.
 *
 * All problems are collected in the order of the file (the first 50 of each rule, and the number of
 * the others). There is no source if one of the messages is an error (`fatal`).
 * @param bytes the file, or its text
 * @example
 * const { source, messages } = parseSource('---\nslug: tls\n---\n# TLS\n', { path: 'tls.md' })
 */
export function parseSource(bytes: Uint8Array | string, options: SourceOptions): SourceResult {
  const isNamed: boolean = typeof (options as Partial<SourceOptions> | undefined)?.path === 'string'
  if (!isNamed)
    throw new PackError('invalid_source', 'The source has no path', 'Pass { path }, the name of its file.')
  useTable(anyAscii)
  const { source, messages } = parseText(bytes, options, readFrontMatter)
  return source === undefined ? { messages } : { source, messages: [...messages, ...describeHidden(source)] }
}
