import { CodecError, decode, type CodecErrorCode } from '@packs/codec'
import { DecodeError, type PackLocation } from '../cli-error.ts'

/** The texts of a pack that are decoded. */
interface EncodedText {
  readonly content: string
  readonly rosetta: string
}

/**
 * Decodes a pack read from a file.
 *
 * @param shown name of the file in messages
 * @param maxOutput maximum length of the text in UTF-16 units; the codec's own limit if absent
 * @throws DecodeError
 */
export function decodeText(pack: EncodedText, shown: string, maxOutput?: number): string {
  try {
    return decode(pack.content, pack.rosetta, maxOutput === undefined ? {} : { maxOutput })
  } catch (error) {
    if (!(error instanceof CodecError)) throw error
    const { code } = error
    const location = { file: shown, ...locateError(error, pack.content) }
    throw new DecodeError(code, `${shown}: ${error.message}`, chooseHint(code), location, error)
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
