import { chooseEncoding } from '../http/negotiate.ts'
import type { BodySource } from './body.ts'

/**
 * The tag of a body as a client gets it. A strong one names bytes, so that each encoding which clients ask for has its own,
 * also where the body is too small to be encoded; a weak one names what is said, in any encoding.
 *
 * @param accepted `Accept-Encoding` of the request
 */
export function writeEtag(
  { tag, weak }: Pick<BodySource, 'tag' | 'weak'>,
  accepted: string | undefined,
): string {
  if (weak) return `W/"${tag}"`
  const encoding = chooseEncoding(accepted)
  return encoding === 'identity' ? `"${tag}"` : `"${tag}-${encoding}"`
}
