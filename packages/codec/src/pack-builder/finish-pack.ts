import type { Compression, WorthHeader } from '../compress/types.ts'
import { derivePackId, digestText, sealPack } from '../pack/digests.ts'
import { computeSavingsPercent } from '../pack/pack-fields.ts'
import type { Pack } from '../pack/pack-schema.ts'
import { cutPreview } from '../preview/cut-preview.ts'
import type { Source } from '../source/types.ts'
import { findOwnScripts } from '../rosetta/term-scripts.ts'
import type { Tokenizer } from '../tokens/types.ts'
import type { Scheme } from '../types.ts'
import type { Diagnostics } from './diagnostics.ts'
import { choosePackRules } from './default-rules.ts'

/** The resolved options of a pack. */
export interface PackOptions {
  readonly scheme: Scheme
  readonly tokenizer: Tokenizer
  /** Whether entries in code are allowed. */
  readonly code: boolean
  /** Overrides the budget of the source. */
  readonly budget: number | undefined
  readonly worthHeader: WorthHeader
}

/** Creates the pack of a compressed source, and reports what its token counts show. */
export function finishPack(
  source: Source,
  compression: Compression,
  { scheme, tokenizer, code, budget, worthHeader }: PackOptions,
  diagnostics: Diagnostics,
): Pack {
  if (source.body === '') {
    diagnostics.report(
      'empty-body',
      { line: source.bodyLine, column: 1 },
      'The source has no body',
      'Write some text.',
    )
  }
  const glossary = choosePackRules(source, diagnostics)
  const pack = createPack({ ...source, glossary, code }, compression, tokenizer)
  if (compression.scheme === 'none' && scheme !== 'none' && source.body !== '') {
    const [reason, hint] = explainNone(source.body, scheme, worthHeader)
    diagnostics.report(
      'nothing-saved',
      diagnostics.findPosition('compression'),
      `Nothing is saved: ${reason}`,
      hint,
    )
  }
  reportBudget(pack, budget ?? source.budget, diagnostics)
  return pack
}

/** Han, kana, Hangul and Thai. */
const SCRIPTS = 4

function explainNone(
  body: string,
  scheme: Scheme,
  { percent, tokens }: WorthHeader,
): [reason: string, hint: string] {
  if (scheme === 'glossary-1' && !/\p{Script=Latin}/u.test(body))
    return ['glossary-1 replaces words of Latin letters, and the text has none', 'Choose dense-1.']
  if (scheme !== 'glossary-1' && findOwnScripts([body]).size === SCRIPTS)
    return [
      `the text is written in all scripts whose letters ${scheme} could use`,
      'Choose glossary-1 or none.',
    ]
  const limits = [percent > 0 ? `${percent} %` : '', tokens > 1 ? `${tokens} tokens` : '']
  const limit = limits.filter(Boolean).join(' and ') || 'a token'
  const hint = `Join small documents${scheme === 'max-1' ? '' : ', or choose a denser scheme'}.`
  return [`no ${scheme} header would save ${limit} after its own cost and the cost of the instruction`, hint]
}

function createPack(source: Source, { scheme, content, rosetta }: Compression, tokenizer: Tokenizer): Pack {
  const { body } = source
  const paid = tokenizer.countTokens(content)
  const full = scheme === 'none' ? paid : tokenizer.countTokens(body)
  const header = scheme === 'none' ? 0 : tokenizer.countTokens(rosetta)
  const preview = cutPreview({ content, rosetta, body, tokenizer })
  return sealPack({
    format: 'packs/1',
    id: derivePackId(source.slug),
    slug: source.slug,
    title: source.title,
    domain: source.domain,
    domain_slug: source.domainSlug,
    subdomain: source.subdomain,
    version: source.version ?? '0.0.0',
    difficulty: source.difficulty,
    ...(source.description === undefined ? {} : { description: source.description }),
    ...(source.tags === undefined ? {} : { tags: source.tags }),
    ...(source.metadata === undefined ? {} : { metadata: source.metadata }),
    ...(source.glossary.length === 0 ? {} : { glossary: source.glossary }),
    ...(source.code ? { code: true } : {}),
    compression: scheme,
    tokenizer: tokenizer.name,
    token_count: paid,
    uncompressed_estimate: full,
    savings_pct: computeSavingsPercent(paid, full),
    rosetta_tokens: header,
    net_savings_pct: computeSavingsPercent(paid + header, full),
    sha256: digestText(body),
    preview_tokens: preview.tokens,
    preview_content: preview.content,
    ...(source.frontMatter === undefined ? {} : { front_matter: source.frontMatter }),
    rosetta,
    content,
  })
}

function reportBudget(pack: Pack, budget: number | undefined, diagnostics: Diagnostics): void {
  const needed = pack.token_count + pack.rosetta_tokens
  if (budget === undefined || needed <= budget) return
  const reason = `The pack takes ${needed} tokens, header included; the budget is ${budget}`
  diagnostics.report(
    'over-budget',
    diagnostics.findPosition('budget'),
    reason,
    'Shorten the text, split it, choose a denser scheme, or raise the budget.',
  )
}
