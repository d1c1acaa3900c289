import { createHash } from 'node:crypto'
import type { NewVersion } from '@packs/catalog'
import type { Scheme } from '@packs/codec'
import { buildPack } from '@packs/codec/build'
import { sealPack } from '@packs/codec/pack'
import { parseSource } from '@packs/codec/source'
import { makeVersion } from '../../catalog/test/make-version.ts'

/** What a version is built from. */
export interface BuildSketch {
  readonly slug: string
  readonly title?: string
  readonly body: string
  readonly scheme?: Scheme
  readonly version?: string
  readonly parent?: string
}

/** Builds a version from markdown, with a real header and preview. */
export async function buildVersion(sketch: BuildSketch): Promise<NewVersion> {
  const { slug, title = slug, body, scheme = 'glossary-1', version = '1.0.0', parent = null } = sketch
  const text = `---\ntitle: ${JSON.stringify(title)}\nslug: ${slug}\n---\n${body}`
  const { source, messages } = parseSource(Buffer.from(text), { path: `${slug}.md` })
  if (source === undefined) throw new Error(messages.join('\n'))
  const { pack } = await buildPack(source, { scheme })
  if (pack === undefined) throw new Error('No pack')
  const { pack_digest: _digest, ...draft } = pack
  const base = makeVersion({ slug, version, parent })
  const sourceDigest = createHash('sha256').update(`${slug} ${version} ${body}`).digest('hex')
  return { ...base, sourceDigest, pack: sealPack({ ...draft, version }) }
}
