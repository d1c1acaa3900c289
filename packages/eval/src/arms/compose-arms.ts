import { decode, type RosettaEntry } from '@packs/codec'
import type { Pack } from '@packs/codec/pack'
import type { PromptDocument } from '@packs/codec/prompt'
import { loadTokenizer } from '@packs/codec/tokens'
import type { AskedModel, CallOptions, Prompt } from '../calls/ask-model.ts'
import type { Call } from '../calls/call-store.ts'
import { EvalError } from '../eval-error.ts'
import type { Composer } from '../host.ts'
import type { ArmName, EvalScheme, Question } from '../types.ts'

/** A system prompt of an arm. */
export interface ArmPrompt {
  readonly text: string
  readonly tokens: number
  readonly rosetta: string
}

/** The prompts of one document, or of all documents together. */
export interface ArmPrompts {
  readonly slugs: readonly string[]
  /** `undefined` for a scheme that writes the source, and for no document. */
  readonly prompts: ReadonlyMap<ArmName, ArmPrompt | undefined>
  /** Entries of the densest scheme that does not write the source. */
  readonly terms: readonly RosettaEntry[]
}

/** A pack and its source. */
export interface Document {
  readonly pack: Pack
  readonly source: string
}

/**
 * Restores the sources of packs.
 *
 * @throws EvalError `usage` for two packs with one slug; CodecError
 */
export function restoreDocuments(packs: readonly Pack[]): readonly Document[] {
  const slugs = packs.map(({ slug }) => slug)
  const twice = slugs.find((slug, at) => slugs.indexOf(slug) < at)
  if (twice === undefined) return packs.map((pack) => ({ pack, source: decode(pack.content, pack.rosetta) }))
  throw new EvalError('usage', `two packs have the slug ${twice}`, 'name one: questions name a slug')
}

/**
 * Composes the prompts of all arms from restored sources: packs that are dense as built would be
 * returned as they are under a lighter scheme.
 *
 * @param unit the documents that share a prompt
 */
export async function composeArms(
  unit: readonly Document[],
  schemes: readonly EvalScheme[],
  { compose }: Composer,
): Promise<ArmPrompts> {
  const slugs = unit.map(({ pack }) => pack.slug)
  const documents = unit.map(toDocument)
  const source = await compose(documents, slugs, { scheme: 'none' })
  const prompts = new Map<ArmName, ArmPrompt | undefined>([
    ['source', source],
    ['source-again', source],
  ])
  let densest = source
  for (const scheme of schemes) {
    const prompt = await compose(documents, slugs, { scheme })
    const isSame = prompt.text === source.text
    prompts.set(scheme, isSame ? undefined : prompt)
    if (!isSame) densest = prompt
  }
  const { text, rosetta, tokenizer } = densest
  // The header is followed by an empty line.
  const bare = text.slice(text.indexOf(rosetta) + rosetta.length + 2)
  const counter = await loadTokenizer(tokenizer)
  const withoutHeader = { text: bare, tokens: counter.countTokens(bare), rosetta: '[DECODE]' }
  prompts.set('no-document', undefined)
  prompts.set('no-header', densest === source ? undefined : withoutHeader)
  // As written, an expansion may have terms of other entries.
  const terms = densest.terms.map(({ term }) => ({ term, expansion: decode(term, rosetta) }))
  return { slugs, prompts, terms }
}

/** The source of a pack with what a prompt shows of it, and the rules of its author. */
function toDocument({ pack, source }: Document): PromptDocument {
  const { title, slug, description, format, front_matter, glossary, code, tokenizer } = pack
  const shown = { title, slug, description, format, front_matter, glossary, code, tokenizer }
  return { ...shown, content: source, rosetta: '[DECODE]' }
}

/** A call that answers a question in an arm. */
export interface ArmCall {
  readonly question: Question
  readonly arm: ArmName
  readonly unit: ArmPrompts
  readonly call: Call
}

/**
 * Lists the calls of all questions: with each prompt all its questions, so that a provider can
 * cache it. An arm that has the prompt of the source is not asked.
 */
export function planCalls(
  units: readonly ArmPrompts[],
  questions: readonly Question[],
  model: AskedModel,
  options: CallOptions,
): readonly ArmCall[] {
  return units.flatMap((unit) => {
    const own = questions.filter(({ doc }) => unit.slugs.includes(doc))
    return [...unit.prompts].flatMap(([arm, prompt]) => {
      if (prompt === undefined && arm !== 'no-document') return []
      const replicate = arm === 'source-again' ? 1 : 0
      const common = { model, options, replicate, promptTokens: prompt?.tokens }
      return own.map((question) => {
        const call = { prompt: writePrompt(question, prompt?.text), ...common }
        return { question, arm, unit, call }
      })
    })
  })
}

const REPLY = `Reply with the answer only, in as few words as it takes. If you are asked to quote, copy the sentence exactly.`

function writePrompt({ question }: Question, system: string | undefined): Prompt {
  const [task, unless] =
    system === undefined
      ? ['', 'you do not know the answer']
      : ['Answer the question from the text above. ', 'the text does not say']
  const user = `${task}${REPLY} If ${unless}, reply: not stated.\n\nQuestion: ${question}`
  return { system, user }
}
