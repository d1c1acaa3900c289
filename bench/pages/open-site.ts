import { mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import type { BenchDocument } from '../documents.ts'
import { createAccount, createSqlite, runPack, startServer } from '../program.ts'

/** `pack serve` of the built program, on a catalog with the packs of a corpus. */
export interface BenchSite {
  readonly origin: string
  /** Signs in with a Pro account, and returns the cookies as a request header. */
  readonly cookie: string
  /** Slug and path of the pack with the longest text of at most 100,000 characters. */
  readonly longest: string
  readonly close: () => Promise<void>
}

const EMAIL = 'pro@bench.invalid'
const PASSWORD = 'four words of a bench'
const MAX_CHARACTERS = 100_000

/**
 * Publishes the documents with `dense-2`, and the longest one twice, so that its pages have what
 * changed.
 */
export async function openSite(folder: string, documents: readonly BenchDocument[]): Promise<BenchSite> {
  const sources = join(folder, 'sources')
  const config = join(folder, 'packs.config.json')
  writeFileSync(config, '{ "scheme": "dense-2" }')
  const write = ({ file, text }: BenchDocument): void => {
    mkdirSync(dirname(join(sources, file)), { recursive: true })
    writeFileSync(join(sources, file), text)
  }
  const publish = async (): Promise<readonly { slug: string; file: string }[]> => {
    const options = ['publish', sources, '--data', folder, '--config', config, '--json']
    const { stdout } = await runPack(options)
    return (JSON.parse(stdout) as { published: { slug: string; file: string }[] }).published
  }
  for (const document of documents) write(document)
  await publish()
  const [long] = documents
    .filter(({ text }) => text.length <= MAX_CHARACTERS)
    .toSorted((a, b) => b.text.length - a.text.length)
  write({
    ...long!,
    text: `${long!.text}\n## Added later\n\nA section that the version before does not have.\n`,
  })
  const packs = await publish()
  const longest = packs.find(({ file }) => file.endsWith(long!.file))!.slug
  const database = createSqlite(folder)
  const { code } = await createAccount(EMAIL, database)
  const { url: origin, stop: close } = await startServer(database)
  return { origin, cookie: await signIn(origin, code), longest, close }
}

async function signIn(origin: string, code: string): Promise<string> {
  const post = (path: string, fields: Readonly<Record<string, string>>): Promise<Response> =>
    fetch(`${origin}/settings/${path}`, {
      method: 'POST',
      headers: { origin },
      body: new URLSearchParams(fields),
      redirect: 'manual',
    })
  await post('code', { email: EMAIL, code, new_password: PASSWORD })
  const response = await post('sign-in', { email: EMAIL, password: PASSWORD })
  return response.headers
    .getSetCookie()
    .map((cookie) => cookie.split(';', 1)[0])
    .join('; ')
}
