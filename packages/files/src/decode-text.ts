import { CodecError, type CodecErrorCode, type Restorable, restore } from '@packs/codec'
import type { Tokenizer, TokenizerName } from '@packs/codec/compress'
import type { Pack } from '@packs/codec/pack'
import { fileError, FilesError, type PackLocation } from './files-error.ts'

export type TokenizerLoader = (name: TokenizerName) => Promise<Tokenizer>

/** A pack file with its decoded text, and with its source if it has it. */
export interface OpenedPack {
  readonly shown: string
  readonly pack: Pack
  readonly body: string
  readonly source?: string
}

export interface OpenOptions {
  readonly loadTokenizer: TokenizerLoader
  /** Compares the whole document with its `pack_digest` too, which takes as long as the rest. */
  readonly isWhole?: boolean
  /** Is told what does not match. Without it, that is an error. */
  readonly onDamage?: (error: FilesError) => void
}

export function damagedError(shown: string, problem: string): FilesError {
  return fileError('digest_mismatch', shown, problem, 'the pack was changed or damaged; get it again')
}

/** @throws FilesError with the code of the codec and the position in the pack */
export function decodeText(pack: Restorable, shown: string, maxOutput?: number): string {
  try {
    return restore(pack, maxOutput === undefined ? {} : { maxOutput })
  } catch (error) {
    if (!(error instanceof CodecError)) throw error
    const { code, message } = error
    const details = { file: shown, ...locateError(error, pack.content), cause: error }
    throw new FilesError(code, `${shown}: ${message}`, chooseHint(code), details)
  }
}

function chooseHint(code: CodecErrorCode): string {
  if (code === 'invalid_patch')
    return 'the patch is missing, damaged or of another pack: get the whole pack again (of a catalog with `include=source`); `pack decode --text` gives what models read'
  return code === 'output_too_large' || code === 'nesting_too_large'
    ? 'do not trust this pack: it decodes to more than the largest possible source; get it from a source you trust'
    : 'the header is damaged or was written by another program: get the pack again, or build it again from its source'
}

const PARTS: Partial<Record<CodecErrorCode, PackLocation['part']>> = {
  output_too_large: 'content',
  nesting_too_large: 'expansion',
  invalid_patch: 'patch',
}

function locateError({ code, offset, entry }: CodecError, content: string): PackLocation {
  const part = PARTS[code] ?? 'rosetta'
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
