import type { StoredAnswer, Prices, Call } from '../calls/call-store.ts'
import { EvalError } from '../eval-error.ts'
import type { Host, Composer, EvalScheme, Graded, Question, ArmName } from '../types.ts'
import { checkQuestions, parseQuestions } from '../questions/read-questions.ts'
import type { LanguageModel } from 'ai'
import { z } from 'zod'
import { createEndpointModel, wrapModel } from '../calls/ask-model.ts'
import type { AskedModel, CallOptions, Prompt } from '../calls/ask-model.ts'
import { decode, restore, type RosettaEntry } from '@packs/codec'
import { type PromptDocument, loadTokenizer } from '@packs/codec/compress'
import type { Pack } from '@packs/codec/pack'

export interface EvalOptions extends ModelOptions {
  readonly questions?: string
  readonly generate?: number
  readonly schemes: readonly EvalScheme[]
  readonly together?: boolean
  readonly prices?: Prices
  readonly budget?: number
  readonly dryRun?: boolean
  readonly replay?: boolean
  readonly json?: boolean
}

export interface PreparedRun {
  readonly documents: readonly Document[]
  readonly units: readonly ArmPrompts[]
  /** None yet if a model is to write them. */
  readonly questions: readonly Question[]
}

export interface EvalRun extends PreparedRun {
  readonly schemes: readonly EvalScheme[]
  readonly isGenerated: boolean
  readonly isTogether: boolean
  readonly model: string
  readonly url: string | null
  readonly prices: Prices | undefined
}

/** An answer of an arm, with everything that is known about it. */
export interface ArmAnswer extends Omit<ArmCall, 'call'>, Graded {
  readonly answer: StoredAnswer
}

const MAX_QUESTIONS = 4 * 1024 * 1024

export function checkUsage(options: EvalOptions): void {
  const { questions, generate, budget, prices, dryRun, replay } = options
  const fail = (message: string, hint: string): never => {
    throw new EvalError('usage', message, hint)
  }
  if (questions !== undefined && generate !== undefined)
    fail('--questions and --generate exclude each other', 'omit one of them')
  if (questions === undefined && generate === undefined)
    fail('no questions', 'name a file with --questions, or let the model write some with --generate N')
  if (budget !== undefined && prices === undefined)
    fail('--budget needs prices', 'give them with --prices input,cached,output')
  if (dryRun && replay) fail('--dry-run reports nothing', 'omit --replay')
}

/** Documents without questions are omitted, unless all share a prompt. */
export async function prepareRun(
  inputs: readonly string[],
  { questions: path, schemes, together, generate, json: isQuiet = false }: EvalOptions,
  host: Host,
): Promise<PreparedRun> {
  const documents = restoreDocuments(await host.readPacks(inputs, isQuiet))
  if (together && new Set(documents.map(({ pack }) => pack.tokenizer)).size > 1)
    throw new EvalError('usage', 'packs with different tokenizers have no common prompt', 'omit --together')
  const questions = path === undefined ? [] : parseQuestions(await host.readText(path, MAX_QUESTIONS), path)
  const sources = new Map(documents.map(({ pack, source }) => [pack.slug, source]))
  const unasked = generate === undefined ? checkQuestions(questions, sources, path!) : []
  if (unasked.length > 0 && !together)
    host.writeNote(host.escapeControls(`no questions for ${unasked.join(', ')}: not evaluated`))
  const used = together ? documents : documents.filter(({ pack }) => !unasked.includes(pack.slug))
  const composer = host.openComposer(isQuiet)
  try {
    const units: ArmPrompts[] = []
    for (const unit of together ? [used] : used.map((one) => [one]))
      units.push(await composeArms(unit, schemes, composer))
    return { documents: used, units, questions }
  } finally {
    await composer.close()
  }
}

type Model = Exclude<LanguageModel, string>

const FILES = ['packs.eval.ts', 'packs.eval.mts', 'packs.eval.js', 'packs.eval.mjs']

const model = z.custom<Model>(
  (value) => typeof value === 'object' && value !== null && 'modelId' in value && 'doGenerate' in value,
  'must be a model of the AI SDK, such as openai("gpt-5-mini")',
)
const schema = z.strictObject({
  model: model.optional(),
  judge: model.optional(),
  concurrency: z.number().int().min(1).max(64).default(4),
  temperature: z.number().min(0).max(2).optional(),
  maxOutputTokens: z.number().int().min(1).max(1_000_000).optional(),
  // The fetch of Node waits no longer than this for a response to begin.
  timeoutSeconds: z.number().min(1).max(300).default(300),
  providerOptions: z.record(z.string(), z.record(z.string(), z.json())).optional(),
})

export interface Settings {
  readonly reader: AskedModel
  readonly judge: AskedModel
  readonly concurrency: number
  readonly options: CallOptions
}

interface ModelOptions {
  readonly model?: string
  readonly url?: string
  readonly judge?: string
}

/** The options win over `packs.eval.ts`. */
export async function readSettings(given: ModelOptions, host: Host): Promise<Settings> {
  const exported = await host.importFile(FILES)
  const parsed = schema.safeParse(exported?.['default'] ?? {})
  if (!parsed.success) {
    const [issue] = parsed.error.issues
    const place = issue!.path.length === 0 ? '' : `${issue!.path.join('.')}: `
    const hint =
      'export default { model, judge, concurrency, temperature, maxOutputTokens, timeoutSeconds, providerOptions }, each optional'
    throw new EvalError('invalid_eval_config', `packs.eval.ts is not valid: ${place}${issue!.message}`, hint)
  }
  const { model: ownModel, judge: ownJudge, concurrency, timeoutSeconds: seconds, ...options } = parsed.data
  const secrets = host.readSecrets()
  const hide = (text: string): string =>
    secrets.reduce((rest, secret) => rest.replaceAll(secret, '[key]'), text)
  const settings = { options, seconds, hide }
  const create = (name: string): AskedModel => {
    if (given.url) return createEndpointModel(name, given.url, host.readKey(), settings)
    const hint = 'name one with --url, or export the model from packs.eval.ts'
    throw new EvalError('usage', `no endpoint is named for the model ${name}`, hint)
  }
  const isOwn = ownModel !== undefined && !given.url
  if (!given.model && !isOwn)
    throw new EvalError('usage', 'no model is named', 'name one with --model and its endpoint with --url')
  const otherModel = `packs.eval.ts has the model ${ownModel?.modelId}, not ${given.model}`
  if (isOwn && given.model && given.model !== ownModel.modelId)
    throw new EvalError('usage', otherModel, 'omit --model, or pass --url')
  const reader = isOwn ? wrapModel(ownModel, settings) : create(given.model!)
  const other = ownJudge === undefined ? reader : wrapModel(ownJudge, settings)
  const judge = given.judge ? create(given.judge) : other
  const isSame = judge.name === reader.name && judge.url !== null && judge.url === reader.url
  return { reader, judge: isSame ? reader : judge, concurrency, options }
}

interface ArmPrompt {
  readonly text: string
  readonly tokens: number
  readonly rosetta: string
  /** Addresses of numbered links, which come back into answers before they are graded. */
  readonly links?: Readonly<Record<string, string>>
}

/** The prompts of one document, or of all documents together. */
interface ArmPrompts {
  readonly slugs: readonly string[]
  /** `undefined` for a scheme that writes the source, and for no document. */
  readonly prompts: ReadonlyMap<ArmName, ArmPrompt | undefined>
  /** Entries of the densest scheme that does not write the source. */
  readonly terms: readonly RosettaEntry[]
}

interface Document {
  readonly pack: Pack
  readonly source: string
}

function restoreDocuments(packs: readonly Pack[]): readonly Document[] {
  const slugs = packs.map(({ slug }) => slug)
  const twice = slugs.find((slug, at) => slugs.indexOf(slug) < at)
  if (twice === undefined) return packs.map((pack) => ({ pack, source: restore(pack) }))
  throw new EvalError('usage', `two packs have the slug ${twice}`, 'name one: questions name a slug')
}

/**
 * Composes from texts without terms: packs that are dense as built would be returned as they are
 * under a lighter scheme.
 */
async function composeArms(
  unit: readonly Document[],
  schemes: readonly EvalScheme[],
  { compose }: Composer,
): Promise<ArmPrompts> {
  const slugs = unit.map(({ pack }) => pack.slug)
  // With its text instead of its content, so that every scheme begins with that.
  const documents = unit.map(({ pack }): PromptDocument => {
    const { compression: _, ...shown } = pack
    return { ...shown, content: decode(pack.content, pack.rosetta), rosetta: '[DECODE]' }
  })
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
    if (prompt.terms.length > 0) densest = prompt
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

interface ArmCall {
  readonly question: Question
  readonly arm: ArmName
  readonly unit: ArmPrompts
  readonly call: Call
}

/**
 * With each prompt come all its questions, so that a provider can cache it. An arm that has the
 * prompt of the source is not asked.
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
