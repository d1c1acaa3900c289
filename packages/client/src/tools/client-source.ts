import { decode } from '@packs/codec'
import { findNearest, frameAnswer, type LinkedText, linkText, loadOnce } from '@packs/codec/internal'
import type { Tokenizer, TokenizerName } from '@packs/codec/compress'
import type { OutlinedSection } from '@packs/codec/sections'
import { type DecodedPack, decodePack } from '../packs/decode-pack.ts'
import type { Client, Context, FullPack, Hit, PreviewPack } from '../types.ts'
import {
  MAX_OUTLINE,
  type OpenedPack,
  type OutlineEntry,
  type PackSource,
  type SectionHit,
  type SourceContext,
} from './pack-source.ts'

type PreviewOpener = (client: Client, pack: PreviewPack) => OpenedPack

/** Packs that are kept decoded. */
const MAX_OPENED = 8

/**
 * Creates a source over a catalog's API. A pack is requested whole, once: its outline and
 * sections are cut locally, so reading more of it costs no further request. Free accounts get the
 * preview.
 * @example
 * const source = createClientSource(createClient({ url, key }), loadTokenizer)
 */
export function createClientSource(
  client: Client,
  loadTokenizer: TokenizerLoader,
  openPreview: PreviewOpener = openWithApi,
): PackSource {
  const opened = new Map<string, OpenedPack>()

  const open = (pack: FullPack): OpenedPack => {
    const { signer } = pack
    const known = opened.get(pack.pack_digest) ?? {
      ...openMemoryPack(decodePack(pack), loadTokenizer),
      ...(signer !== null && { signer }),
    }
    opened.delete(pack.pack_digest)
    opened.set(pack.pack_digest, known)
    for (const oldest of opened.keys()) if (opened.size > MAX_OPENED) opened.delete(oldest)
    return known
  }

  return {
    async search(query, { limit, signal }) {
      const hits: SectionHit[] = []
      for await (const hit of client.search(query, { limit, signal })) hits.push(describeHit(hit))
      return hits
    },
    async context(query, { budget, isQuoted, links, signal }) {
      // The API counts the text as it is; as a JSON string it takes some more tokens.
      const most = Math.min(MAX_BUDGET, Math.floor(isQuoted ? QUOTED_SHARE * budget : budget))
      if (most < MIN_BUDGET) return undefined
      return describeContext(await client.context(query, { budget: most, links, signal }))
    },
    async open(name, signal) {
      const pack = await client.packs.get(name, { signal })
      return pack.preview ? openPreview(client, pack) : open(pack)
    },
  }
}

/** Bounds of a budget in the API. */
const MIN_BUDGET = 200
const MAX_BUDGET = 16_000
const QUOTED_SHARE = 0.85

function describeContext({
  text,
  links,
  tokens: all,
  needed,
  passages,
  omitted,
  corrected,
  stale,
}: Context): SourceContext {
  return {
    needed,
    isStale: stale,
    // A catalog may write anything, also what ends a tag.
    text: frameAnswer(text),
    links,
    tokens: all,
    corrected,
    passages: passages.map(({ pack, version, pack_digest, sections, path, tokens }) => ({
      slug: pack,
      version,
      digest: pack_digest ?? undefined,
      sections,
      path,
      tokens,
    })),
    omitted: omitted.map(({ pack, version, pack_digest, title, section, path, tokens, reason }) => ({
      slug: pack,
      version,
      digest: pack_digest ?? undefined,
      title,
      section: { id: section, path },
      tokens,
      snippet: null,
      isLocked: reason === 'locked',
    })),
  }
}

function describeHit({ pack, section, snippet, pinned }: Hit): SectionHit {
  const { slug, version, pack_digest, title, uncompressed_estimate } = pack
  const names = {
    slug,
    version,
    digest: pack_digest ?? undefined,
    title,
    snippet,
    isUnpinned: pinned === false,
  }
  return section === null
    ? { ...names, section: null, tokens: uncompressed_estimate }
    : { ...names, section: { id: section.id, path: section.path }, tokens: section.tokens }
}

/** Its sections are those wholly inside it; the API knows which, and has their texts. */
function openWithApi(client: Client, pack: PreviewPack): OpenedPack {
  const { slug, version, title, preview_tokens } = pack
  const name = `${slug}@${version}`
  const list = async (signal: AbortSignal): Promise<readonly OutlineEntry[]> => {
    const { sections } = await client.packs.outline(name, { signal })
    return sections.map(({ id, title: heading, level, tokens, subtree_tokens, in_preview }) => ({
      id,
      title: heading,
      level,
      tokens,
      subtreeTokens: subtree_tokens,
      isOpen: in_preview,
    }))
  }
  return {
    slug,
    version,
    digest: undefined,
    title,
    tokenizer: pack.tokenizer,
    tokens: preview_tokens,
    isPreview: true,
    async outline(signal) {
      const sections = await list(signal)
      return { sections: sections.slice(0, MAX_OUTLINE), total: sections.length }
    },
    async find(id, signal) {
      return { section: (await list(signal)).find((section) => section.id === id), nearest: [] }
    },
    async read(part, signal) {
      if (part === undefined) return linkText(pack, pack.content)
      const { content, rosetta } = await client.packs.section(name, part.id, {
        subtree: part.subtree,
        signal,
      })
      return linkText(pack, decode(content, rosetta))
    },
  }
}

export type TokenizerLoader = (name: TokenizerName) => Promise<Tokenizer>

/** @throws CodecError for a pack that does not decode */
export function openMemoryPack(
  { pack, body, source }: DecodedPack,
  loadTokenizer: TokenizerLoader,
): OpenedPack {
  const { slug, version, title, tokenizer, pack_digest: digest } = pack
  // Without a header, the content is the text.
  const tokens = pack.rosetta_tokens === 0 ? pack.token_count : pack.uncompressed_estimate
  const facts = { slug, version, digest, title, tokenizer, tokens, isPreview: false }
  return openText(facts, loadTokenizer, linkText(pack, body), source)
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
      return {
        sections: all.slice(0, MAX_OUTLINE).map((section) => describeSection(section)),
        total: all.length,
      }
    },
    async find(id) {
      const all = await listSections()
      const found = all.find((section) => section.id === id)
      if (found !== undefined) return { section: describeSection(found), nearest: [] }
      return {
        section: undefined,
        nearest: findNearest(
          id,
          all.map((section) => section.id),
        ),
      }
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
  { id, title, level, tokens, subtreeTokens, end }: OutlinedSection,
  visible: number = Infinity,
): OutlineEntry {
  return { id, title, level, tokens, subtreeTokens, isOpen: end <= visible }
}
