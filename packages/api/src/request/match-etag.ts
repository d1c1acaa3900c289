/**
 * Finds the tag of `If-None-Match` that names a body, in whatever encoding the client has it. `*` names none.
 * Gives it as the answer with the body would: weak or strong, however the client wrote it.
 *
 * @param tag without quotes, encoding and `W/`
 */
export function matchEtag(header: string | undefined, tag: string, weak: boolean): string | undefined {
  if (header === undefined) return undefined
  for (const [, name = ''] of header.slice(0, 4000).matchAll(/(?:W\/)?"([\x21\x23-\x7e]*)"/g)) {
    if (name.replace(/-(?:br|gzip|zstd)$/, '') === tag) return `${weak ? 'W/' : ''}"${name}"`
  }
  return undefined
}
