import { ClientError } from '@packs/client'
import { createPublisher, type Publish } from '@packs/client/internal'
import { errorAdvice } from '@packs/client/node'
import type { PublishOptions, SourceOutcome } from '@packs/server'
import { addStatuses, usageError } from '../cli-error.ts'
import { adviseOn, explain } from '../lock/pinned-packs.ts'
import { startProgress } from '../output/progress.ts'
import type { ReadInput } from './read-inputs.ts'
import { failedOutcome, type PublishOutcome, toOutcome } from './report-publish.ts'

type SendOptions = Pick<PublishOptions, 'bump' | 'rebuild' | 'wait' | 'json'>

/** Sources that are sent at the same time. */
const AT_ONCE = 4

export async function openPublisher(url: string): Promise<Publish> {
  const token = process.env['PACK_PUBLISH_TOKEN']
  if (!token) throw usageError('PACK_PUBLISH_TOKEN is not set', 'set it to a token of `pack tokens create`')
  for (const [code, { exit = 'findings' }] of Object.entries(errorAdvice)) addStatuses({ [code]: exit })
  const create = (): Publish => createPublisher(url, token, process.env['PACK_ALLOW_HTTP'] === '1')
  return explain(undefined, create, 'publisher')
}

/** Sends the sources, a few at a time. A failed one does not stop the others. */
export async function sendSources(
  publish: Publish,
  inputs: readonly ReadInput[],
  options: SendOptions,
): Promise<PublishOutcome[]> {
  const progress = startProgress('publishing', inputs.length, options.json === true)
  const outcomes: PublishOutcome[] = []
  const waiting = inputs.entries()
  const send = async (): Promise<void> => {
    for (const [at, input] of waiting) {
      outcomes[at] = await sendSource(publish, input, options)
      progress.advance()
    }
  }
  await Promise.all(Array.from({ length: AT_ONCE }, send)).finally(progress.stop)
  return outcomes
}

/** A result as JSON; a failed one is part of a problem. */
interface Answer extends Omit<SourceOutcome, 'level' | 'messages'> {
  readonly bump: SourceOutcome['level']
  readonly messages: PublishOutcome['diagnostics']
  readonly outcome: SourceOutcome['status']
}

async function sendSource(
  publish: Publish,
  input: ReadInput,
  { bump, rebuild, wait = false }: SendOptions,
): Promise<PublishOutcome> {
  const { file, gitCommit, shown, source } = input
  const { compression: scheme, minify, worthHeader, frontMatterMap, ...given } = file.defaults ?? {}
  const body = {
    path: file.path,
    text: new TextDecoder('utf-8', { ignoreBOM: true }).decode(file.bytes),
    ...given,
    scheme,
    dialect: minify?.dialect,
    minify: minify?.off && { off: minify.off },
    worth_header: worthHeader,
    front_matter_map: frontMatterMap,
    commit: gitCommit ?? undefined,
    bump,
    rebuild,
  }
  const locate = ({ messages = [] }: Partial<Answer>): PublishOutcome['diagnostics'] =>
    messages.map((message) => ({ ...message, file: shown }))
  try {
    const answer = (await publish(source.slug, JSON.stringify(body), wait)) as Answer & SourceOutcome
    return toOutcome({ ...answer, level: answer.bump }, locate(answer), input)
  } catch (error) {
    if (!(error instanceof ClientError)) throw error
    const { code, status = 503, message, cause } = error
    const {
      hint = adviseOn(error, 'publisher'),
      outcome = 'failed',
      job = null,
      ...problem
    } = (cause ?? {}) as Partial<Answer>
    // A code of the catalog or the publisher.
    const exit =
      status === 409 ? 'refused' : status === 500 ? 'internal' : status > 500 ? 'unavailable' : 'findings'
    if (!Object.hasOwn(errorAdvice, code)) addStatuses({ [code]: exit })
    const reason = status === 413 && cause === null ? ': a proxy allows no body of this size' : ''
    const failure = Object.assign(new Error(message + reason), { code, hint })
    const details = { slug: source.slug, diagnostics: input.place(locate(problem)) }
    return { ...failedOutcome(failure, shown, details), status: outcome, job }
  }
}
