import type { Reason } from './reason.ts'
import { quoteText } from './reason.ts'
import type { Block, Outline } from './outline.ts'

/** Says how the shape and the text of a version differ from its parent's; nothing where they do not. */
export function compareOutlines(parent: Outline, next: Outline): Reason[] {
  const reasons = [...compareHeadings(parent.headings, next.headings), ...compareBlocks(parent, next)]
  if (reasons.length > 0) return reasons
  if (parent.content === next.content) return []
  return [{ level: 'patch', sentence: 'the shape is the same, text or link targets changed' }]
}

function compareHeadings(parent: readonly string[], next: readonly string[]): Reason[] {
  const removed = subtract(parent, next).map((text): Reason => {
    return { level: 'major', sentence: `the heading ${quoteText(text)} was removed or renamed` }
  })
  const added = subtract(next, parent).map((text): Reason => {
    return { level: 'minor', sentence: `the heading ${quoteText(text)} was added` }
  })
  if (removed.length + added.length > 0) return [...removed, ...added]
  const isSame = parent.every((text, at) => text === next[at])
  return isSame ? [] : [{ level: 'minor', sentence: 'headings were moved' }]
}

function compareBlocks(parent: Outline, next: Outline): Reason[] {
  const isSame =
    parent.blocks.length === next.blocks.length &&
    parent.blocks.every(({ kind, depth }, at) => {
      const other = next.blocks[at]!
      return kind === other.kind && depth === other.depth
    })
  if (isSame) return []
  const before = countKinds(parent.blocks)
  const after = countKinds(next.blocks)
  const kinds = [...new Set([...before.keys(), ...after.keys()])]
  const reasons = kinds.flatMap((kind): Reason[] => {
    const change = (after.get(kind) ?? 0) - (before.get(kind) ?? 0)
    if (change === 0) return []
    const count = Math.abs(change)
    const sentence = `${count} ${pluralize(kind, count)} ${count === 1 ? 'was' : 'were'} ${change > 0 ? 'added' : 'removed'}`
    return [{ level: 'minor', sentence }]
  })
  return reasons.length > 0 ? reasons : [{ level: 'minor', sentence: 'blocks were moved' }]
}

/** What `all` has more of than `others`, in its order. */
function subtract(all: readonly string[], others: readonly string[]): string[] {
  const left = new Map<string, number>()
  for (const text of others) left.set(text, (left.get(text) ?? 0) + 1)
  return all.filter((text) => {
    const count = left.get(text) ?? 0
    left.set(text, count - 1)
    return count <= 0
  })
}

/** Headings are named one by one elsewhere, unless only their levels changed. */
function countKinds(blocks: readonly Block[]): Map<string, number> {
  const counts = new Map<string, number>()
  for (const { kind } of blocks) counts.set(kind, (counts.get(kind) ?? 0) + 1)
  return counts
}

function pluralize(kind: string, count: number): string {
  return count === 1 ? kind : kind.replace(/^\w+( \w+)?(?= of|$)/, (noun) => `${noun}s`)
}
