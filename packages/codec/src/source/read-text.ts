import { MAX_SOURCE } from '../pack/field-limits.ts'
import { createPositionFinder, type SourceRule } from './messages.ts'
import type { Position } from './types.ts'

export function readText(
  bytes: Uint8Array | string,
  report: (rule: SourceRule, reason: string, hint: string, position: Position) => void,
): string | undefined {
  const size = typeof bytes === 'string' ? new TextEncoder().encode(bytes).length : bytes.length
  if (size > MAX_SOURCE) {
    const reason = `The source has ${size} bytes, more than ${MAX_SOURCE}`
    report('source-too-large', reason, 'Split it into several packs.', { line: 1, column: 1 })
    return undefined
  }
  const hint = 'Save the file as UTF-8.'
  if (typeof bytes === 'string') {
    const offset = bytes.search(/\p{Cs}/u)
    if (offset === -1) return bytes
    const unit = bytes.charCodeAt(offset).toString(16).toUpperCase()
    const reason = `The text is not valid Unicode: lone surrogate U+${unit} at offset ${offset}`
    report('invalid-utf8', reason, hint, createPositionFinder(bytes)(offset))
    return undefined
  }
  const decoded = decodeUtf8(bytes)
  if ('text' in decoded) return decoded.text
  const { offset, value } = decoded.bad
  const reason = `The file is not valid UTF-8: byte 0x${value.toString(16).toUpperCase()} at offset ${offset} does not begin a character`
  const before = new TextDecoder('utf-8', { ignoreBOM: true }).decode(bytes.subarray(0, offset))
  report('invalid-utf8', reason, hint, createPositionFinder(before)(before.length))
  return undefined
}

/** The first byte that does not begin a character. */
interface BadByte {
  /** From 0, in bytes. */
  readonly offset: number
  readonly value: number
}

/** Decodes UTF-8 strictly and keeps a byte order mark, or returns the first invalid byte. */
function decodeUtf8(bytes: Uint8Array): { readonly text: string } | { readonly bad: BadByte } {
  try {
    return { text: new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes) }
  } catch {
    return { bad: findBadByte(bytes) }
  }
}

/** Checks the byte sequences of table 3-7 of the Unicode Standard. */
function findBadByte(bytes: Uint8Array): BadByte {
  let at = 0
  while (at < bytes.length) {
    const lead = bytes[at] ?? 0
    const more = lead < 0x80 ? 0 : lead < 0xc2 ? -1 : lead < 0xe0 ? 1 : lead < 0xf0 ? 2 : lead < 0xf5 ? 3 : -1
    if (more === -1) return { offset: at, value: lead }
    for (let next = 1; next <= more; next++) {
      const value = bytes[at + next] ?? 0
      const low = next > 1 ? 0x80 : lead === 0xe0 ? 0xa0 : lead === 0xf0 ? 0x90 : 0x80
      const high = next > 1 ? 0xbf : lead === 0xed ? 0x9f : lead === 0xf4 ? 0x8f : 0xbf
      if (value < low || value > high) return { offset: at, value: lead }
    }
    at += more + 1
  }
  return { offset: at, value: 0 }
}
