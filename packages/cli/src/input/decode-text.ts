import { CodecError, decode, type CodecErrorCode } from '@packs/codec'
import type { Pack } from '@packs/codec/pack'
import { CliError, type PackLocation } from '../cli-error.ts'

/**
 * Decodes a pack read from a file.
 *
 * @param shown name of the file in messages
 * @param maxOutput maximum length of the text in UTF-16 units; the codec's own limit if absent
 * @throws CliError with the code of the codec and the position in the pack
 */
export function decodeText(
  pack: Pick<Pack, 'content' | 'rosetta'>,
  shown: string,
  maxOutput?: number,
): string {
  try {
    return decode(pack.content, pack.rosetta, maxOutput === undefined ? {} : { maxOutput })
  } catch (error) {
    if (!(error instanceof CodecError)) throw error
    const { code, message } = error
    const details = { file: shown, ...locateError(error, pack.content), cause: error }
    throw new CliError(code, `${shown}: ${message}`, chooseHint(code), details)
  }
}

function chooseHint(code: CodecErrorCode): string {
  return code === 'output_too_large' || code === 'nesting_too_large'
    ? 'do not trust this pack: it decodes to more than the largest possible source; get it from a source you trust'
    : 'the header is damaged or was written by another program: get the pack again, or build it again from its source'
}

function locateError({ code, offset, entry }: CodecError, content: string): PackLocation {
  const part =
    code === 'output_too_large' ? 'content' : code === 'nesting_too_large' ? 'expansion' : 'rosetta'
  return {
    part,
    ...(offset !== undefined && { offset }),
    ...(offset !== undefined && part === 'content' && findLine(content, offset)),
    ...(entry !== undefined && { entry }),
  }
}

function findLine(text: string, offset: number): { readonly line: number; readonly column: number } {
  let line = 1
  let start = 0
  for (const { index, 0: end } of text.slice(0, offset).matchAll(/\r\n|\r|\n/g)) {
    line++
    start = index + end.length
  }
  return { line, column: offset - start + 1 }
}
