import { openCatalog } from '@packs/catalog'
import { serveTasks } from '@packs/threads'
import { createInProcessRunner } from '../in-process/create-in-process-runner.ts'
import { PublishError, toPlainMessage } from '../publish-error.ts'
import type { PublishResult, Runner } from '../runner.ts'
import { createFailedResult, describeFailure } from '../steps/job-result.ts'
import { readSource, type ReadSource, type SourceFile } from '../version-builder/read-source.ts'
import type { PublishAnswer, PublishServices, PublishTask } from './create-publish-process.ts'
import { parseBody } from './publish-body.ts'

// Builds run in another thread, so this event arrives also during a build.
process.once('disconnect', () => process.exit())

let opened: Promise<Runner> | undefined

serveTasks(async ({ slug, body, actor, services }: PublishTask): Promise<PublishAnswer> => {
  const parsed = parseBody(body)
  if ('errors' in parsed) return parsed
  const { file, ...rest } = parsed
  const finish = (result: PublishResult): PublishAnswer => ({
    path: file.path,
    result: { ...result, messages: result.messages.map(toPlainMessage) },
  })
  try {
    const request = { ...readNamed(file, slug), ...rest, actor }
    opened ??= openRunner(services).catch((error: unknown) => {
      opened = undefined
      throw error
    })
    const [result] = await (await opened).publish([request])
    return finish(result!)
  } catch (error) {
    const messages = error instanceof PublishError ? error.messages : []
    return finish({ ...createFailedResult(slug, describeFailure(error), null), messages })
  }
})

/** @throws PublishError `bad_source`, even if only its slug is another */
function readNamed(file: SourceFile, slug: string): ReadSource {
  const read = readSource(file)
  if (read.source.slug === slug) return read
  const position = read.source.positions.get('slug')
  if (position === undefined && file.defaults?.slug === undefined)
    return readSource({ ...file, defaults: { ...file.defaults, slug } })
  const reason = `slug is "${read.source.slug}", but the URL says "${slug}"`
  const note = 'publish it under its slug, or change its front matter'
  const messages = [{ reason, note, fatal: true, ruleId: 'invalid-value', ...position }] as const
  throw new PublishError('bad_source', `In ${file.path}, ${reason}`, note, { messages })
}

async function openRunner({ databaseUrl, redisUrl, buildSeconds }: PublishServices): Promise<Runner> {
  const catalog = await openCatalog({ url: databaseUrl })
  if (redisUrl === undefined) return createInProcessRunner(catalog, { buildSeconds })
  const { createQueueRunner } = await import('../queue/index.ts')
  return createQueueRunner(catalog, redisUrl)
}
