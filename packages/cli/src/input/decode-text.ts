import { CodecError, decode, type CodecErrorCode } from '@packs/codec'
import { DecodeError, type PackLocation } from '../cli-error.ts'

/** What decoding needs of a pack. */
interface EncodedText {
  readonly content: string
  readonly rosetta: string
}

/**
 * Decodes a pack that was read from a file.
 *
 * @param shown how the file is called in messages
 * @param maxOutput most UTF-16 units of text; the codec's own limit when absent
 * @throws DecodeError
 */
export function decodeText(pack: EncodedText, shown: string, maxOutput?: number): string {
  try {
    return decode(pack.content, pack.rosetta, maxOutput === undefined ? {} : { maxOutput })
  } catch (error) {
    if (!(error instanceof CodecError)) throw error
    const { code } = error
    const place = { file: shown, ...locateError(error, pack.content) }
    throw new DecodeError(code, `${shown}: ${error.message}`, chooseHint(code), place, error)
  }
}

function chooseHint(code: CodecErrorCode): string {
  return code === 'output_too_large' || code === 'nesting_too_large'
    ? 'do not trust this pack: it grows beyond the largest source there can be; get it from whom you trust'
    : 'the header was damaged, or another program wrote it: get the pack again, or build it again from its source'
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
