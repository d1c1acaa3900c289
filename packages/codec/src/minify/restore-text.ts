import { decode } from '../decode/decode.ts'
import { CodecError } from '../errors.ts'
import type { PatchRow } from './types.ts'

/** A pack document, a pack that the API returns, or what `compress` returns. */
export interface Restorable {
  readonly content: string
  readonly rosetta: string
  readonly patch?: readonly PatchRow[] | undefined
  /** Present if the content is of a minified text. */
  readonly text_sha256?: string | undefined
  readonly front_matter?: string | undefined
}

export interface RestoreOptions {
  /** Return the whole file, with everything before its body. @default false */
  readonly frontMatter?: boolean
  /** Maximum UTF-16 units of the decoded text. @default 67108864 (64 Mi) */
  readonly maxOutput?: number
}

/**
 * Restores the source body of a pack, byte for byte: decodes its content and applies its patch.
 *
 * Does not check that the pack's text is that of its source, as `checkPack` does: a pack from a
 * stranger can show people another text than models read.
 * @throws {CodecError} those of `decode`; `invalid_patch`, without `entry` if a minified pack has
 *   no patch
 * @example
 * restore(pack) // the source body
 * restore(pack, { frontMatter: true }) // the source file
 */
export function restore(pack: Restorable, { frontMatter, ...limits }: RestoreOptions = {}): string {
  const { content, rosetta, patch, text_sha256: digest, front_matter: front } = Object(pack) as Restorable
  if (!patch && digest !== undefined) throw new CodecError('invalid_patch', { hint: HINT })
  const body = restoreText(decode(content, rosetta, limits), patch ?? [])
  return frontMatter ? (front ?? '') + body : body
}

/**
 * Applies a patch to a minified text and returns its source (SPEC.md §15).
 * @throws {CodecError} `invalid_patch`, with the row as `entry`, if the rows are out of order,
 *   overlap, leave the text or cut a surrogate pair
 * @example
 * restoreText('[a](1)', [[4, 1, 'https://a.example']]) // '[a](https://a.example)'
 */
export function restoreText(text: string, patch: readonly PatchRow[]): string {
  const parts: string[] = []
  let end = 0
  for (const [entry, [at, removed, inserted]] of patch.entries()) {
    const to = at + removed
    const isInside =
      Number.isInteger(at) && Number.isInteger(to) && at >= end && to >= at && to <= text.length
    if (!isInside || cutsPair(text, at) || cutsPair(text, to))
      throw new CodecError('invalid_patch', { entry, hint: HINT })
    parts.push(text.slice(end, at), inserted)
    end = to
  }
  return parts.join('') + text.slice(end)
}

const HINT = 'Get the whole pack again'

function cutsPair(text: string, at: number): boolean {
  return text.codePointAt(at - 1)! > 0xffff
}

/** An address that a tool of sites completes: `{{ site.url }}/a`, `{% link b.md %}`. */
export const TEMPLATE: RegExp =
  /^(?:[\w./:#?=&%~+,;@-]*\{(?:\{<?|%)[^{}[\]()<>\\`\p{Cc}\p{Zl}\p{Zp}]*(?:>?\}|%)\})+[\w./:#?=&%~+,;@-]*$/u
