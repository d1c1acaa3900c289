import { traceCompression } from '../compress.ts'
import {
  findUnfilteredCandidates,
  type UnfilteredCandidates,
  createReasonFinder,
  type Candidate,
} from './find-reason.ts'
import type { ExplainOptions, Explanation, Rejection, RejectionReason } from './rejection.ts'
import { readCandidateText } from '../candidates/build-candidate-set.ts'

const MOST = 20
/**
 * Positions to visit at most: so many per unit of text, plus a constant. Bounds the time for
 * repetitive texts.
 */
const VISITS_PER_UNIT = 32
const FIRST_VISITS = 100_000

/**
 * Compresses as `compress` does, and explains which phrases were rejected and why.
 *
 * Lists the phrases that would save most if nothing else were replaced. Of phrases that contain
 * each other, or that lost to the same entry, only the best is listed. Takes about twice as long as
 * `compress`.
 *
 * @throws {CompressError} `source_too_large`, `invalid_scheme`, `invalid_glossary`,
 *   `term_collision`
 * @throws {TokenError} `tokenizer_not_loaded`, `unknown_tokenizer`
 * @example
 * const { compression, rejected } = explainCompression('# TLS\n\n…', { most: 5 })
 * rejected[0] // { phrase: 'of the', uses: 40, gross: 40, header: 4, net: 36, reason: { code: 'readability', rule: 'R5' } }
 */
export function explainCompression(markdown: string, options: ExplainOptions = {}): Explanation {
  const { compression, attempt } = traceCompression(markdown, options)
  if (attempt === undefined) return { compression, rejected: [] }
  const { prepared, encoding } = attempt
  const isUsed = compression.scheme !== 'none'
  const chosen = new Set(
    isUsed ? Array.from(encoding.terms.keys(), (candidate) => readCandidateText(prepared, candidate)) : [],
  )
  const candidates = findUnfilteredCandidates(prepared)
  const findReason = createReasonFinder(prepared, encoding, candidates, isUsed)
  const most = options.most ?? MOST
  const rejected: Rejection[] = []
  let visits = VISITS_PER_UNIT * prepared.units.count + FIRST_VISITS
  for (const index of candidates.order) {
    if (rejected.length >= most || visits < 0) break
    const candidate = readCandidate(candidates, index)
    visits -= candidate.positions.length
    if (chosen.has(candidate.phrase)) continue
    const rejection = findReason(candidate)
    if (rejection !== undefined && !isListed(rejection, rejected)) rejected.push(rejection)
  }
  return { compression, rejected: rejected.sort((a, b) => b.net - a.net) }
}

function readCandidate({ units, source }: UnfilteredCandidates, index: number): Candidate {
  const begin = source.sample[index]!
  const length = source.length[index]!
  return {
    phrase: units.text.slice(units.starts[begin], units.starts[begin + length]),
    begin,
    length,
    header: source.cost[index]!,
    positions: source.positions.slice(source.from[index], source.to[index]).sort(),
  }
}

/**
 * Whether a similar rejection is listed: the same kind of reason, and one phrase contains the other
 * or both lost to the same entry.
 */
function isListed({ phrase, reason }: Rejection, rejected: readonly Rejection[]): boolean {
  const kind = nameKind(reason)
  return rejected.some(({ phrase: other, reason: known }) => {
    if (nameKind(known) !== kind) return false
    return reason.code === 'overlaps' || other.includes(phrase) || phrase.includes(other)
  })
}

function nameKind(reason: RejectionReason): string {
  if (reason.code === 'readability') return reason.rule
  if (reason.code === 'protected') return reason.by
  return reason.code === 'overlaps' ? `overlaps ${reason.winner.term}` : reason.code
}
