import { END_OF_TEXT } from './character-classes.ts'

const KEPT_BYTES = 1 << 19
const SHORT_TEXT = 48
const encoder = new TextEncoder()

/** A reused buffer for texts as UTF-8. Lone surrogates become U+FFFD, as with `TextEncoder`. */
export interface Utf8Buffer {
  /** The last written text, terminated by {@link END_OF_TEXT}. Valid until the next `write`. */
  bytes: Uint8Array
  write(text: string): number
}

/** Creates a {@link Utf8Buffer}, which retains half a megabyte and the last written text. */
export function createUtf8Buffer(): Utf8Buffer {
  let kept = new Uint8Array(1 << 12)
  const buffer: Utf8Buffer = {
    bytes: kept,
    write(text: string): number {
      const { length } = text
      if (length < SHORT_TEXT) {
        buffer.bytes = kept
        const end = writeAscii(kept, text)
        if (end === length) return end
      }
      const most = length * 3 + SLACK
      if (most > kept.length && kept.length < KEPT_BYTES)
        kept = new Uint8Array(Math.min(KEPT_BYTES, most * 2))
      buffer.bytes = most <= kept.length ? kept : allocate(text)
      const { written } = encoder.encodeInto(text, buffer.bytes)
      close(buffer.bytes, written)
      return written
    },
  }
  return buffer
}

// Contractions read two bytes after the end.
const SLACK = 4

function allocate(text: string): Uint8Array {
  let bytes = 0
  for (let at = 0; at < text.length; at++) {
    const unit = text.charCodeAt(at)
    bytes += unit < 0x80 ? 1 : unit < 0x800 ? 2 : 3
  }
  return new Uint8Array(bytes + SLACK)
}

function writeAscii(bytes: Uint8Array, text: string): number {
  const { length } = text
  for (let at = 0; at < length; at++) {
    const unit = text.charCodeAt(at)
    if (unit >= 0x80) return at
    bytes[at] = unit
  }
  close(bytes, length)
  return length
}

function close(bytes: Uint8Array, end: number): void {
  bytes[end] = END_OF_TEXT
  bytes[end + 1] = END_OF_TEXT
}

/** Number of UTF-16 units of the characters that start in a range of bytes. */
export function countUnits(bytes: Uint8Array, from: number, to: number): number {
  let units = 0
  for (let at = from; at < to; at++) {
    const byte = bytes[at]!
    if ((byte & 0xc0) !== 0x80) units += byte < 0xf0 ? 1 : 2
  }
  return units
}

/** Number of bytes of a text in UTF-8; a lone surrogate counts two. */
export function countUtf8Bytes(text: string): number {
  let bytes = text.length
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at)
    if (code > 0x7f) bytes += code > 0x7ff && (code < 0xd800 || code > 0xdfff) ? 2 : 1
  }
  return bytes
}
