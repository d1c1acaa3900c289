import { compressTogether } from '../compress/shared-header/compress-together.ts'
import { decode } from '../decode/decode.ts'
import { serializeRosetta } from '../rosetta/serialize-rosetta.ts'
import { getTokenizer } from '../tokens/get-tokenizer.ts'
import '../tokens/o200k-base.ts'
import type { RosettaEntry } from '../types.ts'
import { framePacks } from '../prompt/frame-packs.ts'
import { mergePacks } from '../prompt/merge-packs.ts'
import type { ComposedPrompt, ComposeOptions, PromptDocument, PromptPlan } from './types.ts'

/**
 * Composes the cheapest prompt of several packs: the sources in plain frames, the packs as they were built, or all
 * sources compressed together with one header. The whole text is counted.
 *
 * @example
 * const { text, rosetta, plan } = composePrompt(packs, { scheme: 'dense-1' })
 * const answer = decode(await ask(text, question), rosetta)
 */
export function composePrompt(
  packs: readonly PromptDocument[],
  { scheme = 'glossary-1', tokenizer: name = 'o200k_base', glossary = [], code = false }: ComposeOptions = {},
): ComposedPrompt {
  const tokenizer = getTokenizer(name)
  const bodies = packs.map(({ content, rosetta }) => decode(content, rosetta))
  const merged = mergePacks(packs)
  const shared = compressTogether(bodies, { scheme, tokenizer: name, glossary, code })
  const written: Record<
    PromptPlan,
    readonly [contents: readonly string[], entries: readonly RosettaEntry[]]
  > = {
    sources: [bodies, []],
    asBuilt: [merged.contents, merged.entries],
    together: [shared.compressions.map(({ content }) => content), shared.entries],
  }
  const texts = Object.entries(written).map(([plan, [contents, entries]]) => {
    const rosetta = serializeRosetta({ entries })
    const text = framePacks(packs, contents, entries.length > 0 ? rosetta : undefined)
    return { plan: plan as PromptPlan, text, rosetta, entries, tokens: tokenizer.countTokens(text) }
  })
  const best = texts.reduce((a, b) => (b.tokens < a.tokens ? b : a))
  const costs = Object.fromEntries(texts.map(({ plan, tokens }) => [plan, tokens])) as Record<
    PromptPlan,
    number
  >
  return {
    text: best.text,
    rosetta: best.rosetta,
    terms: best.entries,
    tokens: best.tokens,
    tokenizer: name,
    plan: { chosen: best.plan, costs },
    packs: packs.length,
    shares: packs.map(({ slug }, index) => ({
      slug,
      tokens: tokenizer.countTokens(written[best.plan][0][index]!),
    })),
    notes: [],
  }
}
