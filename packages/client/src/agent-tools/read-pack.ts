import { type Answer, type AnswerLimit, type CallContext, describeIdentity } from './answer.ts'
import { type OpenedPack, type OutlineEntry, type PackSource, SourceError } from './pack-source.ts'
import { findBelow, listBelow, outlinePack, outlineSection, type ReadData } from './write-outline.ts'

export interface ReadArguments {
  readonly pack: string
  readonly section: string | undefined
}

/**
 * Answers a call of `read_pack`: the text that was asked for if it fits, else the outline.
 *
 * @param charge called unless the section needs another tier, as in the API; then `takeFree` is
 */
export async function readPack(
  source: PackSource,
  args: ReadArguments,
  { limit, signal, charge, takeFree }: CallContext,
): Promise<Answer<ReadData>> {
  const { pack, section } = await findPart(source, args, signal).catch(async (error: unknown) => {
    if (error instanceof SourceError && error.code === 'tier_required') takeFree?.()
    else await charge?.()
    throw error
  })
  await charge?.()
  if (section !== undefined) return readSection(pack, section, limit, signal)
  if (mayFit(pack, pack.tokens, limit)) {
    const answer = createAnswer(pack, undefined, await pack.read(undefined, signal))
    if (limit.fits(answer)) return answer
  }
  return outlinePack(pack, await pack.outline(signal), limit)
}

async function findPart(
  source: PackSource,
  { pack: name, section: id }: ReadArguments,
  signal: AbortSignal,
): Promise<{ readonly pack: OpenedPack; readonly section: OutlineEntry | undefined }> {
  const pack = await source.open(name, signal)
  return { pack, section: id === undefined ? undefined : await findSection(pack, id, signal) }
}

/**
 * Finds a section that may be read.
 *
 * @throws SourceError `section_not_found` or `tier_required`
 */
async function findSection(pack: OpenedPack, id: string, signal: AbortSignal): Promise<OutlineEntry> {
  const { section, nearest } = await pack.find(id.replace(/^#/, ''), signal)
  const name = `${pack.slug}@${pack.version}`
  if (section === undefined) {
    const hint =
      nearest.length === 0
        ? 'Call read_pack without a section, or search_packs.'
        : `Similar ids: ${nearest.join(', ')}.`
    throw new SourceError('section_not_found', `${name} has no such section.`, hint)
  }
  if (section.isOpen) return section
  throw new SourceError(
    'tier_required',
    `The section is not in the preview of ${name}, which is all that Free accounts get.`,
    'Call read_pack without a section for the preview; the rest needs a Pro key.',
  )
}

/**
 * Reads a section with those below it. If that is too large, or not all of it is in a preview,
 * reads it alone and lists the others; if that is too large too, lists what it consists of.
 */
async function readSection(
  pack: OpenedPack,
  section: OutlineEntry,
  limit: AnswerLimit,
  signal: AbortSignal,
): Promise<Answer<ReadData>> {
  const read = async (subtree: boolean): Promise<Answer<ReadData>> =>
    createAnswer(pack, section.id, await pack.read({ id: section.id, subtree }, signal))
  const outline = await pack.outline(signal)
  const below = findBelow(outline, section)
  const context = { below: below.filter(({ isOpen }) => isOpen), limit }
  let needed: number | undefined
  const isWholeOpen =
    !pack.isPreview || (below.length === context.below.length && outline.total === outline.sections.length)
  if (isWholeOpen && mayFit(pack, section.subtreeTokens, limit)) {
    const whole = await read(true)
    if (limit.fits(whole)) return whole
    if (below.length === 0) needed = limit.count(whole)
  }
  if (below.length > 0 && mayFit(pack, section.tokens, limit)) {
    const alone = await read(false)
    if (limit.fits(alone)) return listBelow(alone, context)
    needed = limit.count(alone)
  }
  return outlineSection(pack, section, { ...context, needed })
}

/**
 * Tells whether a text may fit into `maxTokens`, so that a text that cannot fit is not read. Other
 * tokenizers than o200k_base may count half as many tokens again.
 */
function mayFit({ tokenizer }: OpenedPack, tokens: number, { maxTokens }: AnswerLimit): boolean {
  return tokens <= (tokenizer === 'o200k_base' ? 1 : 1.5) * maxTokens
}

function createAnswer(pack: OpenedPack, section: string | undefined, text: string): Answer<ReadData> {
  const suffix = section === undefined ? '' : ` section ${section}`
  const note = pack.isPreview ? ' (preview: only the beginning; the rest needs a Pro key)' : ''
  return {
    text: `${pack.slug}@${pack.version}${suffix}${note}\n\n${text}`,
    data: {
      ...describeIdentity(pack),
      ...(section !== undefined && { section }),
      ...(pack.isPreview && { preview: true as const }),
      text,
    },
  }
}
