import { mergeRanges } from '../compress/candidates/author-glossary.ts'
import { findMarkup, findNever, findVerbatim } from '../compress/prepare-text.ts'
import { SCHEME_PLANS } from '../compress/schemes.ts'
import { type CompressedSet, compressSet } from '../compress/encode-text.ts'
import { protectLines } from '../compress/text/protect-lines.ts'
import type { GlossaryRule } from '../compress/types.ts'
import { scanLines } from '../markdown/scan-lines.ts'
import { frameContents } from '../prompt/frame-packs.ts'
import type { TermScript } from '../rosetta/term-scripts.ts'
import type { Scheme } from '../types.ts'
import { joinGlossaries } from './join-glossaries.ts'
import type { PromptSettings } from './plan-prompt.ts'
import { createEscapes, type PriorTerms, rewriteBody } from './prior-terms.ts'
import type { PromptDocument } from './types.ts'

export interface PlannedAddition extends CompressedSet {
  /** Whether it has no entries but those that exactness needs. */
  readonly isPlain: boolean
}

/**
 * Returns the contents and new entries of each way to write the addition: with the terms of the
 * prompt or without, each with further entries or without. The first has the bodies with only what
 * exactness requires.
 *
 * @param text the prompt
 * @param ownScripts the scripts of all sources, which supply no new terms
 */
export function planAdditions(
  text: string,
  packs: readonly PromptDocument[],
  bodies: readonly string[],
  prior: PriorTerms,
  settings: PromptSettings,
  ownScripts: ReadonlySet<TermScript>,
): PlannedAddition[] {
  const { scheme, tokenizer } = settings
  const terms = prior.entries.map(({ term }) => term)
  const empty = packs.map(() => '')
  // The name of the tags may have a number.
  const taken = [text, ...terms, frameContents(packs, empty, text), '-0123456789'].join('\n')
  const { rules } = joinGlossaries(settings.glossary, packs, bodies, taken)
  const code = packs.map((pack) => settings.code ?? pack.code === true)
  const escapes = createEscapes(terms, [taken, ...bodies], ownScripts)
  const searched = bodies.every((body) => body.isWellFormed()) ? scheme : 'none'
  const plans: PlannedAddition[] = []
  for (const reuses of terms.length > 0 && searched !== 'none' ? [false, true] : [false]) {
    const used = new Set<number>()
    const escaped = new Map<string, string>()
    const contents = bodies.map((body, index) => {
      const blocked =
        reuses && searched !== 'none' ? findBlocked(body, rules, code[index]!, searched) : undefined
      const escape = (entry: number): string => {
        const term = escapes(entry)
        escaped.set(term, terms[entry]!)
        return term
      }
      const written = rewriteBody(body, prior, escape, blocked)
      for (const entry of written.used) used.add(entry)
      return written.content
    })
    if (reuses && used.size === 0) break
    const last = Array.from(escaped, ([term, expansion]) => ({ term, expansion }))
    plans.push({ contents, entries: last, isPlain: true })
    if (searched === 'none') continue
    const kept = Array.from(used, (entry) => ({ expansion: terms[entry]!, never: true }))
    const reserved = listReserved(taken)
    const glossary = [...kept, ...rules]
    const found = compressSet(contents, {
      scheme: searched,
      tokenizer,
      glossary,
      code,
      reserved,
      ownScripts,
    })
    if (!found || found.entries.length === 0) continue
    const entries = found.entries.map(({ term, expansion }) => ({ term, expansion }))
    plans.push({ contents: found.contents, entries: [...entries, ...last], isPlain: false })
  }
  return plans
}

/** Lists where no term may replace a phrase, as `[start, end)` pairs. */
function findBlocked(
  body: string,
  rules: readonly GlossaryRule[],
  code: boolean,
  scheme: Exclude<Scheme, 'none'>,
): Int32Array {
  const { keepsLines, readable } = SCHEME_PLANS[scheme]
  const lines = keepsLines ? protectLines(scanLines(body), { code: code || !readable, readable }) : []
  const ends = keepsLines
    ? Array.from(body.matchAll(/[\n\r]/g), ({ index }) => [index, index + 1]).flat()
    : []
  const markup = readable ? findMarkup(body) : []
  return mergeRanges(lines, ends, markup, findVerbatim(body), findNever(body, rules))
}

/**
 * Returns a short text with all symbols and short words of a long one: no term that the compressor
 * chooses occurs in the long text if it does not occur in the short one.
 */
function listReserved(text: string): string {
  const characters = new Set(text.toWellFormed().replace(/[\w\s]+/g, ''))
  const words = new Set(text.match(/[A-Za-z]+/g)?.filter((word) => word.length <= 4))
  return [...characters, ...words].join(' ')
}
