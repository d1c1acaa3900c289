import { decode } from '@packs/codec'
import type { OutlinedSection } from '@packs/codec/sections'
import { ClientError } from '../client-error.ts'
import type { Client, FullPack, PreviewPack } from '../types.ts'
import { type AnswerOptions, joinLines } from './search-packs.ts'

/** What `read_pack` returns. */
export interface ReadAnswer {
  /** The text of the pack or section, or its outline. */
  readonly text: string
  readonly pack: string
  readonly version: string
  /** `null` for a preview, whose digest cannot be proven. */
  readonly pack_digest: string | null
  /** Id of the key that signed the pack, which was verified; `null` for none, and for a preview. */
  readonly signer: string | null
  readonly section: string | null
  /** Whether the text is the outline, because the whole has more tokens than `max_tokens`. */
  readonly outline: boolean
}

/** Answers a call of `read_pack`: the text that was asked for if it fits, else the outline. */
export async function readPack(
  catalog: Client,
  wanted: { readonly pack: string; readonly section: string | undefined },
  { most, tokenizer, signal }: AnswerOptions,
): Promise<ReadAnswer> {
  const pack = await catalog.packs.get(wanted.pack, { signal })
  const body = pack.preview ? pack.content : decode(pack.content, pack.rosetta)
  const id = wanted.section?.replace(/^#/, '') || undefined
  const name = `${pack.slug}@${pack.version}`
  const note = pack.preview ? ' (preview: the first fifth; the rest needs a Pro key)' : ''
  const head = `${name}${id ? ` section ${id}` : ''}${note}`
  const fits = (text: string): boolean => tokenizer.countTokens(text) <= most
  const answer = (text: string, outline: boolean): ReadAnswer => ({
    text,
    pack: pack.slug,
    version: pack.version,
    pack_digest: pack.preview ? null : pack.pack_digest,
    signer: pack.preview ? null : pack.signer,
    section: id ?? null,
    outline,
  })

  const whole = `${head}\n\n${body}`
  if (id === undefined && fits(whole)) return answer(whole, false)
  const { outlineSections } = await import('@packs/codec/sections')
  const sections = outlineSections(body, tokenizer)
  const found = id === undefined ? undefined : findSection(pack, sections, id)
  const text = `${head}\n\n${found ? body.slice(found.start, found.subtreeEnd) : body}`
  if (found && fits(text)) return answer(text, false)
  const below = found
    ? sections.filter(({ start }) => start > found.start && start < found.subtreeEnd)
    : sections
  const alone = found && `${head}\n\n${body.slice(found.start, found.end)}`
  const ask = 'Call read_pack with one of these section ids (tokens with the sections below it, title):'
  if (alone !== undefined && below.length > 0 && fits(alone)) {
    const list = writeList(`${alone}\n\n[Not included are the sections below it. ${ask}`, below, fits)
    return answer(list ?? alone, false)
  }
  const size = `${name}${id ? ` section ${id}` : ''}: ${tokenizer.countTokens(text)} tokens, over max_tokens ${most}.`
  const more = alone === undefined ? '' : ` Its own text needs max_tokens ${tokenizer.countTokens(alone)}.`
  const start = below.length === 0 ? `${size}${more}` : `${size}${more} ${ask}`
  const shortest = fits(size) ? size : 'Too large for max_tokens. Send more.'
  return answer(writeList(start, below, fits) ?? shortest, true)
}

/** @throws ClientError `section_not_found` */
function findSection(
  pack: FullPack | PreviewPack,
  sections: readonly OutlinedSection[],
  id: string,
): OutlinedSection {
  const found = sections.find((section) => section.id === id)
  if (found) return found
  const name = `${pack.slug}@${pack.version}`
  const where = pack.preview ? `The preview of ${name}, which is all that Free accounts get,` : name
  throw new ClientError(
    'section_not_found',
    `${where} has no such section`,
    'Call read_pack without a section for its ids, or search_packs.',
  )
}

/** Lists sections below a text: all levels that fit, or as many lines. @returns undefined if not even the text fits */
function writeList(
  head: string,
  sections: readonly OutlinedSection[],
  fits: (text: string) => boolean,
): string | undefined {
  const write = (shown: readonly OutlinedSection[]): string => {
    const lines = shown.map(({ id, title, subtreeTokens }) =>
      joinLines(`- ${id} (${subtreeTokens}) ${title}`),
    )
    const rest = sections.length - shown.length
    return [head, ...lines, ...(rest > 0 ? [`${rest} more sections are not listed.`] : [])].join('\n')
  }
  const levels = [...new Set(sections.map(({ level }) => level))].toSorted((a, b) => b - a)
  for (const deepest of levels) {
    const text = write(sections.filter(({ level }) => level <= deepest))
    if (fits(text)) return text
  }
  const top = sections.filter(({ level }) => level === levels.at(-1))
  let low = -1
  for (let high = top.length; high - low > 1;) {
    const middle = (low + high) >> 1
    if (fits(write(top.slice(0, middle)))) low = middle
    else high = middle
  }
  return low < 0 ? undefined : write(top.slice(0, low))
}
