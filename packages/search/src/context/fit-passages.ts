import { writeHead, writeNotes } from '@packs/codec/internal'
import {
  type Candidate,
  choosePassages,
  coverTerms,
  isDuplicate,
  isWeak,
  listShingles,
  type Sized,
} from './choose-passages.ts'
import { openSection, type OpenedSection, type QuestionTerms } from './cut-section.ts'
import type { ContextOptions } from './types.ts'
import { type Notes, writePassages, type WrittenPassages } from './write-passages.ts'

/** Tokens of tags and of the line above a passage, about. */
const TAG_TOKENS = 25
/**
 * Unless nothing else matches. With a third, `pnpm bench:context` finds 64 % within 1,000 tokens
 * instead of 82, and 85 % within 2,000 instead of 91: sections that answer are cut.
 */
const MAX_SHARE = 2 / 3
/** How much shorter a part is made that has too many tokens, and how often. */
const SHRINK = 0.95
const MAX_TRIES = 6
/** UTF-16 units of the smallest parts. */
const SMALLEST = [100, 400]

/** Cuts sections to a number of tokens. */
export class Fitter {
  readonly options: ContextOptions
  /** Tokens that a section may take, unless another limit is given. */
  readonly share: number
  private readonly question: QuestionTerms
  private readonly opened = new Map<string, OpenedSection>()

  constructor(candidates: readonly Candidate[], question: QuestionTerms, options: ContextOptions) {
    this.options = options
    this.question = question
    this.share = (candidates.length === 1 ? 1 : MAX_SHARE) * options.budget
  }

  /** Returns a section as far as it fits; `undefined` if no part of it does. */
  fit(candidate: Candidate, limit: number = this.share): Sized | undefined {
    const { section, text } = candidate
    const tokens = Math.max(section.tokens, 1)
    const most = limit - TAG_TOKENS
    if (tokens <= most) return this.whole(candidate)
    let length = Math.floor((most / tokens) * text.length)
    for (let tries = 0; tries < MAX_TRIES && length > 0; tries++) {
      const cut = this.open(candidate).cut(length)
      if (cut === undefined) return undefined
      const own = this.options.measure(cut)
      if (own <= most)
        return { ...candidate, text: cut, shingles: listShingles(cut), tokens: own + TAG_TOKENS, isCut: true }
      length = Math.floor(cut.length * (most / own) * SHRINK)
    }
    return undefined
  }

  whole(candidate: Candidate): Sized {
    return { ...candidate, tokens: candidate.section.tokens + TAG_TOKENS, isCut: false }
  }

  /** Returns the smallest part that says something. */
  smallest(candidate: Candidate): Sized {
    for (const length of SMALLEST) {
      const text = this.open(candidate).cut(length)
      if (text !== undefined && text.length < candidate.text.length)
        return { ...candidate, text, tokens: 0, isCut: true }
    }
    return this.whole(candidate)
  }

  private open(candidate: Candidate): OpenedSection {
    const name = nameSection(candidate)
    const known = this.opened.get(name) ?? openSection(candidate.text, this.question)
    this.opened.set(name, known)
    return known
  }
}

interface FittedPassages extends WrittenPassages {
  readonly chosen: readonly Sized[]
  /** If none fits, the tokens that the smallest takes. */
  readonly needed: number | null
}

/**
 * Chooses passages and writes them within the budget. Tokens of several passages are estimates, so
 * those chosen last leave until the text fits, and sections that fit after all are added.
 */
export function fitPassages(candidates: readonly Candidate[], fitter: Fitter, notes: Notes): FittedPassages {
  const { budget, measure } = fitter.options
  const write = (chosen: readonly Sized[]): FittedPassages | undefined => {
    const written = writePassages(chosen, notes)
    return measure(written.text) <= budget ? { chosen, ...written, needed: null } : undefined
  }
  const room = budget - measure(writeNotes(...notes) + writeHead())
  const sized = choosePassages(candidates, room, (candidate, limit) => fitter.fit(candidate, limit))
  for (let count = sized.length; count > 0; count--) {
    const fitted = write(sized.slice(0, count))
    if (fitted !== undefined) return addFitting(candidates, fitter, fitted, write)
  }
  let needed: number | null = null
  for (const other of listOthers(candidates, fitter)) {
    const fitted = write([other])
    if (fitted !== undefined) return addFitting(candidates, fitter, fitted, write)
    const tokens = measure(writePassages([other], notes).text)
    needed = Math.min(needed ?? tokens, tokens)
  }
  return { chosen: [], passages: [], text: '', links: {}, needed }
}

/** Parts of the limit that are tried if what was chosen takes more tokens than estimated. */
const PARTS = [1, 0.7, 0.4, 0.2]

/** Lists passages to try one by one, best first, and at last the smallest of each section. */
function* listOthers(candidates: readonly Candidate[], fitter: Fitter): Generator<Sized, void, undefined> {
  for (const candidate of candidates)
    for (const part of PARTS) {
      const sized = fitter.fit(candidate, part * fitter.share)
      if (sized !== undefined) yield sized
    }
  for (const candidate of candidates) yield fitter.smallest(candidate)
}

/** Sections that are tried, and tokens that must be left for a part of one. */
const MAX_ADDED = 30
const LEAST_TOKENS = 150

/** Adds sections that fit what is left: those that are not weak, and if wanted weak ones too. */
function addFitting(
  candidates: readonly Candidate[],
  fitter: Fitter,
  first: FittedPassages,
  write: (chosen: readonly Sized[]) => FittedPassages | undefined,
): FittedPassages {
  const { budget, measure, fill = false } = fitter.options
  let fitted = first
  let tries = 0
  const tryTo = (added: Sized | undefined): boolean => {
    if (added === undefined || tries++ >= MAX_ADDED) return false
    const others = fitted.chosen.filter((one) => nameSection(one) !== nameSection(added))
    const found = write([...others, added])
    fitted = found ?? fitted
    return found !== undefined
  }
  for (const isFilling of fill ? [false, true] : [false])
    for (const { isTaken, ...candidate } of findLeft(candidates, fitted.chosen)) {
      const { chosen } = fitted
      if (!isTaken && chosen.some(({ shingles }) => isDuplicate(shingles, candidate.shingles))) continue
      if (!isFilling && !isTaken && isWeak(candidate, coverTerms(chosen), candidates)) continue
      const left = budget - measure(fitted.text)
      const taken = chosen.find((one) => nameSection(one) === nameSection(candidate))?.tokens ?? 0
      const isNear = candidate.section.tokens - taken <= left
      if (isNear && tryTo(fitter.whole(candidate))) continue
      // Only the tags are too much, or a part is enough.
      const isCut = !isTaken && (isNear || (isFilling && left >= LEAST_TOKENS))
      if (isCut) tryTo(fitter.fit(candidate, left))
    }
  return fitted
}

function nameSection({ pack, ordinal }: Candidate): string {
  return `${pack.number} ${ordinal}`
}

/** Lists sections that are not in an answer, or less than half of them. */
export function findLeft(
  candidates: readonly Candidate[],
  chosen: readonly Sized[],
): readonly (Candidate & { readonly isTaken: boolean })[] {
  const taken = new Map(chosen.map((one) => [nameSection(one), one.text.length]))
  return candidates.flatMap((candidate) => {
    const length = taken.get(nameSection(candidate))
    const isLeft = length === undefined || 2 * length < candidate.text.length
    return isLeft ? [{ ...candidate, isTaken: length !== undefined }] : []
  })
}
