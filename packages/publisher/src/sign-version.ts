import { openDocument, type Catalog, type ExaminedVersion } from '@packs/catalog'
import { restore } from '@packs/codec'
import { checkPack, findNeedlessEntry, type Pack } from '@packs/codec/pack'
import { digestPack, findWrongSignature, type PackSignature } from '@packs/codec/internal'
import { PublishError } from './publish-error.ts'
import type { PublishRequest, VersionCheck } from './runner.ts'
import { serializeSorted } from './version-builder/read-source.ts'

export type SignDigest = (packDigest: string) => PackSignature

/**
 * Signs a published version for its publisher, who trusts neither the catalog nor the workers: the
 * document is verified to be that of the publisher's own source first. Safe to repeat: a key signs
 * a version once.
 * @returns whether it was not signed by this key before
 * @throws PublishError `source_mismatch`; CatalogError `unknown_version`, `too_many_signatures`,
 *   `catalog_damaged`
 */
export async function signVersion(
  catalog: Catalog,
  request: PublishRequest,
  version: string,
  sign: SignDigest,
): Promise<boolean> {
  const { slug } = request.source
  const stored = await catalog.packs.version(slug, version)
  const pack = stored && openDocument(stored)
  const fault = pack ? await findMismatch(pack, request, version) : 'it is not in the catalog'
  if (pack === undefined || fault !== undefined)
    throw new PublishError(
      'source_mismatch',
      `${slug}@${version} was not signed, because it is not what the source gives: ${fault}`,
      'Run pack verify on it, and find out who has changed the catalog. If only the source changed meanwhile, publish it again.',
    )
  const { isNew } = await catalog.signatures.add(slug, version, sign(pack.pack_digest), request.actor)
  return isNew
}

/** Fields that come from the source as they are; `checkPack` checks what is computed. */
const FIELDS = [
  'slug',
  'title',
  'domain',
  'subdomain',
  'difficulty',
  'description',
  'tags',
  'metadata',
  'tokenizer',
] as const

/** Describes how a document differs from a source; undefined if it does not. */
async function findMismatch(
  { signatures: _others, ...pack }: Pack,
  { file, source }: PublishRequest,
  version: string,
): Promise<string | undefined> {
  const failed = (await checkPack(pack)).find(({ ok, skipped }) => !ok || skipped)
  if (failed) return `its ${failed.name} is wrong`
  const text = restore(pack, { frontMatter: true })
  if (!Buffer.from(text).equals(file.bytes)) return 'it decodes to another text'
  const isSame = (field: (typeof FIELDS)[number]): boolean =>
    serializeSorted(pack[field] ?? null) === serializeSorted(source[field] ?? null)
  const rules = new Set(source.glossary.map(serializeSorted))
  const differing = [
    ...FIELDS.filter((field) => !isSame(field)),
    ...(pack.domain_slug === source.domainSlug ? [] : ['domain_slug']),
    ...((pack.glossary ?? []).every((rule) => rules.has(serializeSorted(rule))) ? [] : ['glossary']),
    ...((pack.code ?? pack.format !== 'packs/1') === source.code ? [] : ['code']),
  ]
  if (differing.length > 0) return `it has another ${differing[0]}`
  const given = new Set(source.glossary.flatMap(({ term }) => term ?? []))
  const needless = findNeedlessEntry(pack, given)
  if (needless !== undefined)
    return `its header has the entry ${JSON.stringify(needless)}, which no build of the source needs`
  return pack.version === version ? undefined : 'it has another version'
}

/** Checks the signatures that a version of the catalog has; no check for one that is unsigned. */
export async function checkSignatures({
  signatures,
  sequence,
  pack,
}: ExaminedVersion): Promise<readonly VersionCheck[]> {
  const name = 'signatures'
  const hint = 'Another program has changed the database: restore a backup.'
  if (signatures === undefined)
    return [{ name, ok: false, message: `The signatures cannot be read (sequence ${sequence})`, hint }]
  if (pack === undefined || signatures.length === 0) return []
  const wrong = await findWrongSignature({ pack_digest: digestPack(pack), signatures })
  if (wrong !== undefined)
    return [{ name, ok: false, message: `The signature of ${wrong.key_id} is not one of this version`, hint }]
  return [{ name, ok: true, message: `Signed by ${signatures.map(({ key_id }) => key_id).join(', ')}` }]
}
