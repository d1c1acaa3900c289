import { readFileSync } from 'node:fs'

/** The codes of a closed union in a source file, in the order they are written. */
export function readErrorCodes(file = '../src/errors.ts', union = 'CodecErrorCode'): string[] {
  const source = readFileSync(new URL(file, import.meta.url), 'utf8')
  const declaration = new RegExp(`type ${union} =([^]*?)\n\n`).exec(source)
  return [...(declaration?.[1] ?? '').matchAll(/'(\w+)'/g)].map(([, code]) => code!)
}
