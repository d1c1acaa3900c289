import { findNearest, type LinkedText, linkText, loadOnce } from '@packs/codec/internal'
import type { OutlinedSection as CodecSection } from '@packs/codec/sections'
import type { CatalogClient } from '../create-client.ts'
import type { OutlineSection } from '../generated/responses.ts'
import type { DecodedPack } from '../packs/decode-pack.ts'
import type { PreviewPack } from '../types.ts'
import { MAX_OUTLINE, type OpenedPack, type TokenizerLoader } from './source.ts'
import type { OutlinedSection } from './types.ts'

/** @throws CodecError for a pack that does not decode */
export function openMemoryPack(
  { pack, body, source, locked = false }: DecodedPack,
  loadTokenizer: TokenizerLoader,
): OpenedPack {
  const { slug, version, title, tokenizer, signatures } = pack
  // Without a header, the content is the text.
  const tokens = pack.rosetta_tokens === 0 ? pack.token_count : pack.uncompressed_estimate
  const signer = signatures?.at(-1)?.key_id
  const facts = { pack: slug, version, title, tokenizer, tokens, locked, ...(signer && { signer }) }
  const digest = locked ? null : pack.pack_digest
  const document = locked ? undefined : pack
  return openText({ ...facts, digest, document }, loadTokenizer, linkText(pack, body), source)
}

/** Opens a text in memory. Its sections are counted on first use. */
export function openText(
  facts: Omit<OpenedPack, 'outline' | 'find' | 'read'>,
  loadTokenizer: TokenizerLoader,
  linked: LinkedText,
  source?: string,
): OpenedPack {
  const { text: body, dialect } = linked
  const listSections = loadOnce(async () => {
    const { outlineSections } = await import('@packs/codec/sections')
    return outlineSections(body, await loadTokenizer(facts.tokenizer), { source: source ?? body, dialect })
  })
  return {
    ...facts,
    async outline() {
      const all = await listSections()
      const sections = all.slice(0, MAX_OUTLINE).map((section) => describeSection(section))
      return { sections, total: all.length }
    },
    async find(id) {
      const all = await listSections()
      const found = all.find((section) => section.id === id)
      if (found !== undefined) return { section: describeSection(found), nearest: [] }
      const ids = all.map((section) => section.id)
      return { section: undefined, nearest: findNearest(id, ids) }
    },
    async read(part) {
      if (part === undefined) return linked
      const found = (await listSections()).find(({ id }) => id === part.id)
      if (found === undefined) throw new Error('Only a section that was found can be read')
      return { ...linked, text: body.slice(found.start, part.subtree ? found.subtreeEnd : found.end) }
    },
  }
}

/** @param visible offset in the body up to which the reader may see it */
export function describeSection(
  { id, title, level, tokens, subtreeTokens, end }: CodecSection,
  visible: number = Infinity,
): OutlinedSection {
  return { section: id, title, level, tokens, subtreeTokens, locked: end > visible }
}

/**
 * Reads sections that are wholly inside the preview without a further request. What other sections
 * the pack has, the API knows.
 */
export function openPreview(
  client: CatalogClient,
  preview: PreviewPack,
  loadTokenizer: TokenizerLoader,
): OpenedPack {
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
