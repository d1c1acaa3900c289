import type { LanguageModel } from 'ai'
import { z } from 'zod'
import { type AskedModel, type CallOptions, createEndpointModel, wrapModel } from '../calls/ask-model.ts'
import { EvalError } from '../eval-error.ts'
import type { Host } from '../host.ts'

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

/** The models of an evaluation, and how they are asked. */
export interface Settings {
  readonly reader: AskedModel
  readonly judge: AskedModel
  readonly concurrency: number
  readonly options: CallOptions
}

/** The options of the command that name models. */
export interface ModelOptions {
  readonly model?: string
  readonly url?: string
  readonly judge?: string
}

/**
 * Reads `packs.eval.ts`, and creates the models that it or the options name; the options win.
 *
 * @throws EvalError `usage`, `invalid_endpoint`, `invalid_eval_config`
 */
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
  if (isOwn && given.model && given.model !== ownModel.modelId)
    throw new EvalError(
      'usage',
      `packs.eval.ts has the model ${ownModel.modelId}, not ${given.model}`,
      'omit --model, or pass --url',
    )
  const reader = isOwn ? wrapModel(ownModel, settings) : create(given.model!)
  const other = ownJudge === undefined ? reader : wrapModel(ownJudge, settings)
  const judge = given.judge ? create(given.judge) : other
  const isSame = judge.name === reader.name && judge.url !== null && judge.url === reader.url
  return { reader, judge: isSame ? reader : judge, concurrency, options }
}
