import { decode } from '../decode/decode.ts'
import { createDraft, expandDraft, type Draft } from './draft.ts'
import { joinDrafts, type MergedPacks } from './join-drafts.ts'

/**
 * Finds one header for packs that were built apart, and proves it: each content is decoded with it, and where the source
 * does not come back the pack is given expanded.
 *
 * @throws CodecError for a pack that cannot be decoded by itself.
 */
export function mergePacks(
  packs: readonly { readonly content: string; readonly rosetta: string }[],
): MergedPacks {
  const drafts = packs.map(({ content, rosetta }) => createDraft(content, rosetta))
  for (;;) {
    const merged = joinDrafts(drafts)
    const wrong = drafts.findIndex((draft, index) => !isExact(draft, merged.contents[index]!, merged))
    if (wrong < 0) return merged
    const spoiler = drafts[wrong]!.terms.length ? wrong : drafts.findIndex(({ terms }) => terms.length)
    drafts[spoiler] = expandDraft(drafts[spoiler]!)
  }
}

function isExact({ source }: Draft, content: string, merged: MergedPacks): boolean {
  try {
    return decode(content, merged, { maxOutput: source.length }) === source
  } catch {
    return false
  }
}
