import type { NewVersion } from '@packs/catalog'
import type { Scheme } from '@packs/codec'
import type { TokenizerName } from '@packs/codec/compress'
import { sealPack } from '@packs/codec/internal'
import { buildPack, type Pack, parseSource } from '@packs/codec/pack'
import { makeVersion } from './make-version.ts'

/** What a pack is built from. */
export interface PackSketch {
  readonly slug: string
  readonly title?: string
  readonly body: string
  readonly scheme?: Scheme
  readonly version?: string
  readonly tokenizer?: TokenizerName
}

/** Builds a pack from markdown, with a real header and preview. */
export async function buildSample(sketch: PackSketch): Promise<Pack> {
  const { slug, title = slug, body, version = '1.0.0', scheme = 'dense-2', tokenizer } = sketch
  const text = `---\ntitle: ${JSON.stringify(title)}\nslug: ${slug}\n---\n${body}`
  const { source, messages } = parseSource(Buffer.from(text), { path: `${slug}.md` })
  if (source === undefined) throw new Error(messages.join('\n'))
  const { pack } = await buildPack(source, { scheme, ...(tokenizer && { tokenizer }) })
  if (pack === undefined) throw new Error('No pack')
  const { pack_digest: _digest, ...draft } = pack
  return sealPack({ ...draft, version })
}

/** Builds a version that a catalog can commit. */
export async function buildVersion(sketch: PackSketch & { readonly parent?: string }): Promise<NewVersion> {
  const { slug, version = '1.0.0', parent = null, body } = sketch
  return {
    ...makeVersion({ slug, version, parent, source: `${slug} ${version} ${body}` }),
    pack: await buildSample(sketch),
  }
}
