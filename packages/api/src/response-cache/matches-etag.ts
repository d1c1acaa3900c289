/**
 * Does `If-None-Match` name the tag of the body that would be sent, weak or strong as the client wrote it (RFC 9110,
 * section 8.8.3.2). `*` names none.
 *
 * @param etag as in the header field `ETag`
 */
export function matchesEtag(header: string | undefined, etag: string): boolean {
  if (header === undefined) return false
  const wanted = etag.replace(/^W\//, '')
  for (const [tag] of header.matchAll(/"[\x21\x23-\x7e\x80-\xff]*"/g)) if (tag === wanted) return true
  return false
}
