import { styleText } from 'node:util'
import { escapeControls } from './escape-controls.ts'

/** A format of `util.styleText`. */
export type Style = Parameters<typeof styleText>[0]

/** Writes text to stdout as it stands. */
export function writeResult(text: string | Uint8Array): void {
  process.stdout.write(text)
}

/** Writes one JSON document to stdout. */
export function writeJson(value: unknown): void {
  process.stdout.write(`${JSON.stringify(value, null, 2)}\n`)
}

/** Writes a line to stderr. */
export function writeNote(line: string): void {
  process.stderr.write(`${line}\n`)
}

/** Writes a warning, one line, to stderr. */
export function writeWarning(message: string): void {
  writeNote(`${styleNote('yellow', 'warning:')} ${escapeControls(message)}`)
}

/** Styles text for stdout, or leaves it plain where that is no terminal or colour is not wanted. */
export function styleResult(style: Style, text: string): string {
  return styleText(style, text, { stream: process.stdout })
}

/** Styles text for stderr, or leaves it plain where that is no terminal or colour is not wanted. */
export function styleNote(style: Style, text: string): string {
  return styleText(style, text, { stream: process.stderr })
}
