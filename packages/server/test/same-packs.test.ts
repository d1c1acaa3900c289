import { createHash } from 'node:crypto'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { basename, extname, join, resolve } from 'node:path'
import { openCatalog } from '@packs/catalog'
import { serializePack } from '@packs/codec/internal'
import { buildPack, parsePack, parseSource } from '@packs/codec/pack'
import { renumberPack } from '../../publisher/src/version-builder/decide-version.ts'
import { expect, it, onTestFinished } from 'vitest'
import { examplePacks } from '../../test-kit/test/example-packs.ts'
import { makeFolder, runPack, startPack, type Run, type RunOptions } from '../../test-kit/test/run-pack.ts'
import { startServer } from '../../test-kit/test/start-server.ts'
import { startRedis } from '../../test-kit/test/start-redis.ts'

const root = resolve(import.meta.dirname, '../../..')
/** One in so many of the examples, and of the documents of the shared corpus, is built: all of them in all ways take minutes. */
const SAMPLES = [2, 30] as const

const GIVEN = { domain: 'Parity', glossary: [{ expansion: 'harbour master', never: true }] }
const CONFIG = JSON.stringify({ domain: { texts: GIVEN.domain }, glossary: GIVEN.glossary })

const repeat = (line: (at: number) => string, count = 40): string =>
  Array.from({ length: count }, (_, at) => line(at)).join('')
const fields = (compression: string): string =>
  `---\ntitle: “Quoted” title\ncompression: ${compression}\n---\n`

/** Texts whose previews, terms and sections depend on characters outside of ASCII. */
const OWN: Readonly<Record<string, string>> = {
  'quotes.md': `# Quotes\n\n${repeat((at) => `He wrote “line ${at} is done.” The harbour master’s log said “then begin line ${at}!” `)}\n`,
  'quotes-dense.md': `${fields('dense-2')}# ‘Quotes’\n\n${repeat((at) => `The “quick start guide” – part ${at} … doesn’t end.\n\n`)}`,
  'cjk.md': `# 茶\n\n${repeat((at) => `第${at}种茶来自山上的茶园，味道很好。人们每天早上都喝它！你喜欢吗？`)}\n`,
  'cjk-max.md': `${fields('max-2')}# お茶\n\n${repeat((at) => `第${at}のお茶は「山の茶園」で育てられています。とても美味しいです！\n\n`)}`,
  'emoji.md': `# Signs 🚢\n\n${repeat((at) => `Ship 🚢 number ${at} of the 👩‍🚀 family 👨‍👩‍👧‍👦 leaves the quay 🇫🇷… It returns 🏴󠁧󠁢󠁳󠁣󠁴󠁿! `)}\n`,
  'marks.md': `${fields('dense-2')}# Cafe\u0301\n\n${repeat((at) => `Le cafe\u0301 de la mare\u0301e ${at} ferme a\u0300 l’e\u0301te\u0301. हिन्दी में। `)}\n`,
  'windows.md': `\uFEFF# Windows\r\n\r\n${repeat((at) => `Line ${at} of the “harbour log” ends here.\r\n`)}`,
  'README.md': '# About ½ of it\n\nA README has the slug of its folder.\n',
  'page.mdx': `import Quay from './quay'\n\n# Quays\n\n${repeat((at) => `<Quay number={${at}} name="harbour gate" />\n\nThe harbour gate of quay {${at} + 1} “opens”.\n\n`)}`,
}

const TELL_THREADS = [
  '--import',
  `data:text/javascript,process.on('worker', () => console.error('thread started'))`,
]
/** A catalog in a folder, and no queue. */
const EMBEDDED = { DATABASE_URL: '', REDIS_URL: '', PACK_DATA: '' }

/** Bytes of packs by slug. */
type Packs = ReadonlyMap<string, string>

it('is the same pack in every way that a source can be built', async () => {
  const texts = collectTexts()
  const few = Object.keys(OWN)
  const alone = ['README.md', 'cjk-max.md', 'page.mdx', 'windows.md']
  const cwd = makeFolder({
    'packs.config.json': CONFIG,
    'package.json': '{}',
    'node_modules/.keep': '',
    ...Object.fromEntries(Array.from(texts, ([name, text]) => [`texts/${name}`, text])),
  })
  const run = async (args: readonly string[], options: RunOptions = {}): Promise<Run> => {
    const done = await runPack(args, { cwd, ...options })
    const { status, stderr } = done
    expect({ args, status, error: status === 0 ? '' : stderr }).toEqual({ args, status: 0, error: '' })
    return done
  }
  const all = await buildWithLibrary(texts)
  const [own, apart] = await Promise.all(
    [few, alone].map((names) => buildWithLibrary(new Map(names.map((name) => [name, texts.get(name)!])))),
  )
  const check = (way: string, packs: Packs, expected: Packs): void =>
    expect({ way, packs: describePacks(packs) }).toEqual({ way, packs: describePacks(expected) })

  const threads = await run(['build', 'texts', '--quiet', '-o', 'folder', '--no-cache'], {
    nodeArgs: TELL_THREADS,
  })
  expect(threads.stderr).toContain('thread started')
  check('a folder, in threads', readPacks(join(cwd, 'folder')), all)
  await run(['build', 'texts', '--quiet', '-o', 'stored'])
  check('a folder, with an empty cache', readPacks(join(cwd, 'stored')), all)
  await run(['build', 'texts', '--quiet', '-o', 'found'])
  check('a folder, from the cache', readPacks(join(cwd, 'found')), all)
  for (const name of alone) {
    const { stderr } = await run(['build', `texts/${name}`, '-o', 'file', '--no-cache'], {
      nodeArgs: TELL_THREADS,
    })
    expect(stderr).not.toContain('thread started')
  }
  check('one file, in the main thread', readPacks(join(cwd, 'file')), apart!)
  const piped = alone.map(async (name) => {
    const args = ['build', '-', '--stdin-name', `texts/${name}`, '-o', '-', '--no-cache']
    const { stdout } = await run(args, { input: texts.get(name)! })
    return [parsePack(stdout).slug, stdout] as const
  })
  check('stdin to stdout', new Map(await Promise.all(piped)), apart!)
  await run(['build', 'texts', '--quiet', '-o', 'modules', '--no-cache'], { nodeArgs: ['-C', 'source'] })
  check('a folder, from modules', readPacks(join(cwd, 'modules')), all)
  await run(['publish', 'texts', '--data', 'catalog'], { env: EMBEDDED })
  check('published in process', await readPublished(join(cwd, 'catalog'), all), all)
  const server = await startServer(['--data', join(cwd, 'served')], EMBEDDED)
  const { stdout: token } = await run(['tokens', 'create', '--data', 'served'], { env: EMBEDDED })
  const sender = { ...EMBEDDED, PACK_PUBLISH_TOKEN: token.trim() }
  await run(['publish', 'texts', '--url', server.url], { env: sender })
  check('published over HTTP', await readPublished(join(cwd, 'served'), all), all)

  const redis = await startRedis()
  const env = { ...EMBEDDED, REDIS_URL: redis.url, PACK_DATA: 'queued' }
  const worker = startPack(['worker'], { cwd, env })
  onTestFinished(() => void worker.kill('SIGKILL'))
  await run(['publish', ...few.map((name) => `texts/${name}`), '--wait'], { env })
  check('published through the queue', await readPublished(join(cwd, 'queued'), own!), own!)
})

function collectTexts(): Map<string, string> {
  const corpus = join(root, '../shared/corpus')
  const documents = existsSync(corpus)
    ? readdirSync(corpus, { recursive: true, encoding: 'utf8' })
        .filter((name) => name.endsWith('.md'))
        .toSorted()
    : []
  return new Map([
    ...Object.entries(OWN),
    ...examplePacks
      .filter((_, at) => at % SAMPLES[0] === 0)
      .map(({ slug, path, text }) => [`${slug}${extname(path)}`, text] as const),
    ...documents.flatMap((name, at) =>
      at % SAMPLES[1] === 0 ? [[`corpus-${at}.md`, readFileSync(join(corpus, name), 'utf8')] as const] : [],
    ),
  ])
}

async function buildWithLibrary(texts: ReadonlyMap<string, string>): Promise<Packs> {
  const packs = new Map<string, string>()
  for (const [name, text] of texts) {
    const { source } = parseSource(Buffer.from(text), { path: `texts/${name}`, defaults: GIVEN })
    const { pack } = await buildPack(source!)
    packs.set(pack!.slug, serializePack(pack!))
  }
  return packs
}

function readPacks(folder: string): Packs {
  const names = readdirSync(folder).filter((name) => name.endsWith('.pack.json'))
  return new Map(
    names.map((name) => [basename(name, '.pack.json'), readFileSync(join(folder, name), 'utf8')]),
  )
}

/** Reads the newest versions of packs, with the version that a build gives them. */
async function readPublished(data: string, expected: Packs): Promise<Packs> {
  const catalog = await openCatalog({ url: join(data, 'catalog.sqlite') })
  const packs = new Map<string, string>()
  for (const [slug, text] of expected) {
    const published = await catalog.packs.latest(slug)
    const { version } = parsePack(text)
    packs.set(slug, serializePack(renumberPack(parsePack(published!.document), version)))
  }
  await catalog.close()
  return packs
}

/** Returns the digests of the packs and of their bytes. */
function describePacks(packs: Packs): unknown {
  const rows = Array.from(packs, ([slug, text]) => {
    const { pack_digest } = JSON.parse(text) as { pack_digest: string }
    return [slug, { pack_digest, bytes: createHash('sha256').update(text).digest('hex') }] as const
  })
  return Object.fromEntries(rows)
}
