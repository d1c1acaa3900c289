import { frameAnswer } from '@packs/codec/internal'
import type { CatalogClient } from '../create-client.ts'
import type { OutlineSection } from '../generated/responses.ts'
import type { FullPack, PreviewPack } from '../types.ts'
import { describeHit, type DocsSource, MAX_OUTLINE, type OpenedPack, type TokenizerLoader } from './source.ts'
import type { Context, DocsPack, OutlinedSection } from './types.ts'

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
      return pack.preview ? openPreview(client, pack, loadTokenizer) : open(pack)
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

/**
 * Reads sections that are wholly inside the preview without a further request. What other sections
 * the pack has, the API knows.
 */
async function openPreview(
  client: CatalogClient,
  preview: PreviewPack,
  loadTokenizer: TokenizerLoader,
): Promise<OpenedPack> {
  const { openMemoryPack } = await import('./open-pack.ts')
  const { slug: pack, version, content, preview_tokens: tokens } = preview
  const opened = openMemoryPack({ pack: preview as never, body: content, locked: true }, loadTokenizer)
  const list = async (signal: AbortSignal): Promise<readonly OutlinedSection[]> => {
    return (await client.outline(`${pack}@${version}`, { signal })).map(describeOutlined)
  }
  return {
    ...opened,
    tokens,
    async outline(signal) {
      const sections = await list(signal)
      return { sections: sections.slice(0, MAX_OUTLINE), total: sections.length }
    },
    async find(id, signal) {
      const { section } = await opened.find(id, signal)
      // The preview may end inside its last section.
      const isWhole = section !== undefined && (await opened.read({ id, subtree: false }, signal)).text
      if (isWhole !== false && !content.endsWith(isWhole)) return { section, nearest: [] }
      return { section: (await list(signal)).find((one) => one.section === id), nearest: [] }
    },
  }
}

function describeOutlined(line: OutlineSection): OutlinedSection {
  const { id, title, level, tokens, subtree_tokens: subtreeTokens, in_preview } = line
  return { section: id, title, level, tokens, subtreeTokens, locked: !in_preview }
}
