import { frameAnswer } from '@packs/codec/internal'
import type { CatalogClient } from '../create-client.ts'
import type { FullPack } from '../types.ts'
import { describeHit, type DocsSource, type OpenedPack, type TokenizerLoader } from './source.ts'
import type { Context, DocsPack } from './types.ts'

/** Packs that are kept decoded. */
const MAX_OPENED = 8
/** Largest budget in the API. */
const MAX_BUDGET = 16_000

/**
 * Creates a source over a catalog's API. A pack is requested whole, once: its outline and
 * sections are cut locally, so reading more of it costs no further request. Free accounts get the
 * preview.
 */
export function createCatalogSource(client: CatalogClient, loadTokenizer: TokenizerLoader): DocsSource {
  const opened = new Map<string, OpenedPack>()

  // What reads texts is loaded on demand.
  const open = async (pack: FullPack): Promise<OpenedPack> => {
    const [{ decodePack }, { openMemoryPack }] = await Promise.all([
      import('../packs/decode-pack.ts'),
      import('./open-pack.ts'),
    ])
    const { signer } = pack
    const known = opened.get(pack.pack_digest) ?? openMemoryPack(decodePack(pack), loadTokenizer)
    opened.delete(pack.pack_digest)
    opened.set(pack.pack_digest, known)
    for (const oldest of opened.keys()) if (opened.size > MAX_OPENED) opened.delete(oldest)
    return { ...known, ...(signer !== null && { signer }) }
  }

  return {
    async search(query, options) {
      const { hits, corrected, stale } = await client.search(query, options)
      return { sections: hits.map(describeHit), corrected, stale }
    },
    async context(query, { budget, ...options }) {
      const found = await client.context(query, { ...options, budget: Math.min(MAX_BUDGET, budget) })
      return describeContext(found, budget)
    },
    async open(name, signal) {
      const pack = await client.packs.get(name, { signal })
      if (!pack.preview) return open(pack)
      const { openPreview } = await import('./open-pack.ts')
      return openPreview(client, pack, loadTokenizer)
    },
    async list(limit, signal) {
      const packs: DocsPack[] = []
      for await (const pack of client.packs.list({ signal })) {
        const { slug, version, title, domain, rosetta_tokens, token_count, uncompressed_estimate } = pack
        const tokens = rosetta_tokens === 0 ? token_count : uncompressed_estimate
        packs.push({ pack: slug, version, digest: null, title, domain, tokens })
        if (packs.length >= limit) break
      }
      return packs
    },
  }
}

type WireContext = Awaited<ReturnType<CatalogClient['context']>>

function describeContext(found: WireContext, budget: number): Context {
  const { text, links, tokens, match, corrected, needed, stale } = found
  return {
    // A catalog may write anything, also what ends a tag.
    text: frameAnswer(text),
    links,
    tokens,
    budget,
    match,
    passages: found.passages.map(({ pack_digest: digest, ...passage }) => ({ ...passage, digest })),
    omitted: found.omitted.map(({ pack_digest: digest, ...section }) => ({ ...section, digest })),
    corrected,
    needed,
    stale,
  }
}
