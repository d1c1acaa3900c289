import anyAscii from 'any-ascii'
import { useTable } from './derive-slug.ts'
import { readFrontMatter } from './front-matter/read-front-matter.ts'
import { parseText } from './parse-text.ts'
import type { SourceOptions, SourceResult } from './types.ts'

/**
 * Parses a source file: front matter, body, directives.
 *
 * All problems are collected in the order of the file (the first 50 of each rule, and the number of
 * the others). There is no source if one of the messages is an error (`fatal`).
 *
 * @param bytes the file, or its text
 * @example
 * const { source, messages } = parseSource('---\nslug: tls\n---\n# TLS\n', { path: 'tls.md' })
 */
export function parseSource(bytes: Uint8Array | string, options: SourceOptions): SourceResult {
  useTable(anyAscii)
  return parseText(bytes, options, readFrontMatter)
}
