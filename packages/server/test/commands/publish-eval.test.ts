import { readFileSync, truncateSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { openCatalog, type Catalog } from '@packs/catalog'
import { describe, expect, it } from 'vitest'
import { runInProcess, type Printed } from '../../../cli/test/run-in-process.ts'
import { makeFolder } from '../../../cli/test/run-pack.ts'
import { createTestSigner } from '../../../codec/test/signatures/sign-pack.ts'
import type { EvalResult, PairedFigures, SchemeOutcome } from '../../../eval/src/types.ts'

const LINE =
  'The Certificate Transparency Log is append-only; read the Certificate Transparency Log often.\n\n'
const write = (slug: string, fields = 'compression: dense-1\n') =>
  `---\nslug: ${slug}\ntitle: ${slug}\n${fields}---\n# ${slug}\n\n${LINE.repeat(12)}`

const figures: PairedFigures = {
  questions: 240,
  documents: 12,
  both_right: 230,
  only_arm: 2,
  only_source: 3,
  both_wrong: 5,
  difference: -0.004,
  interval: [-0.021, 0.012],
  method: 'score',
}

const attached = {
  model: 'gpt-5-mini',
  date: '2026-11-28T10:00:00.000Z',
  scheme: 'dense-1',
  questions: 240,
  documents: 12,
  difference: -0.004,
  interval: [-0.021, 0.012],
  margin: 5,
  verdict: 'as good',
}

type Measured = EvalResult['packs'][number]

function makeOutcome(sketch: Partial<SchemeOutcome> = {}): SchemeOutcome {
  return { scheme: 'dense-1', verdict: 'as good', figures, undecided_wrong: null, needed: null, ...sketch }
}

/** Creates a result as `pack eval --json` prints it. */
function makeResult(packs: readonly Measured[], sketch: Partial<EvalResult> = {}): EvalResult {
  return {
    ok: true,
    format: 'packs-eval-1',
    date: '2026-11-28T10:00:00.000Z',
    model: 'gpt-5-mini',
    returned: ['gpt-5-mini-2026-10-01'],
    url: 'http://127.0.0.1:1234/v1',
    judge: null,
    margin: 5,
    together: false,
    packs,
    questions: { asked: 250, excluded: 10, generated: false, kinds: { fact: 250 } },
    schemes: [makeOutcome()],
    arms: [],
    noise: figures,
    control: null,
    calls: { all: 1, stored: 0, made: 1 },
    cost: null,
    warnings: [],
    differing: [],
    ...sketch,
  }
}

const digestOf = (letter: string) => letter.repeat(64)

interface Published {
  readonly ok: boolean
  readonly published: readonly {
    readonly slug: string
    readonly code: string | null
    readonly message: string | null
    readonly hint: string | null
    readonly evaluation?: unknown
    readonly evaluation_note?: string
  }[]
}

function openSite(sources: Readonly<Record<string, string>> = { 'tls.md': write('tls') }) {
  const folder = makeFolder(sources)
  const env = { DATABASE_URL: '', REDIS_URL: '', PACK_DATA: 'data' }
  const run = (...args: string[]): Promise<Printed> => runInProcess(args, { cwd: folder, env })
  const withCatalog = async <T>(use: (catalog: Catalog) => Promise<T>): Promise<T> => {
    const catalog = await openCatalog({ url: join(folder, 'data', 'catalog.sqlite') })
    try {
      return await use(catalog)
    } finally {
      await catalog.close()
    }
  }
  return {
    folder,
    run,
    withCatalog,
    publish: async (...args: string[]): Promise<Published> =>
      JSON.parse((await run('publish', ...args, '--json')).stdout) as Published,
    save: (value: unknown, name = 'eval.json') =>
      writeFileSync(join(folder, name), typeof value === 'string' ? value : JSON.stringify(value)),
    /** Returns the latest version of a pack as a result names it. */
    measure: (slug: string): Promise<Measured> =>
      withCatalog(async ({ packs }) => {
        const { version, compression, pack_digest } = (await packs.find(slug))!
        return { slug, version, compression, pack_digest, questions: 12 }
      }),
    read: (slug: string) => withCatalog(async ({ packs }) => (await packs.find(slug))?.evaluations),
  }
}

describe('pack publish --eval', () => {
  it('attaches the numbers to a version that exists, once', async () => {
    const { run, publish, save, measure, read } = openSite()
    await run('publish', 'tls.md')
    save(makeResult([await measure('tls')]))
    const first = await run('publish', 'tls.md', '--eval', 'eval.json')
    expect(first).toMatchObject({
      status: 0,
      stdout:
        'unchanged tls@1.0.0\n  the newest version has the same source\n  evaluation with gpt-5-mini is attached: as good\n',
    })
    expect(await read('tls')).toEqual([attached])
    expect(await publish('tls.md', '--eval', 'eval.json')).toMatchObject({
      ok: true,
      published: [{ slug: 'tls', status: 'unchanged', code: null, evaluation: attached }],
    })
    expect((await run('publish', 'tls.md', '--eval', 'eval.json')).stdout).toContain(
      'evaluation with gpt-5-mini was already attached: as good',
    )
    expect(
      (await run('audit', '--action', 'version.evaluated', '--json')).stdout.match(/tls@1\.0\.0/g),
    ).toEqual(['tls@1.0.0'])
  })

  it('attaches them to a version that it publishes, if `pack build` gave the same document for its number', async () => {
    const fields = 'compression: dense-1\nversion: 1.2.0\n'
    const { folder, run, publish, save, read } = openSite({ 'tls.md': write('tls', fields) })
    await run('build', 'tls.md')
    const pack = JSON.parse(readFileSync(join(folder, 'dist', 'tls.pack.json'), 'utf8')) as Measured
    save(makeResult([{ ...pack, questions: 12 }]))
    expect(await publish('tls.md', '--eval', 'eval.json')).toMatchObject({
      published: [{ status: 'published', evaluation: attached }],
    })
    expect(await read('tls')).toEqual([attached])
  })

  it('takes the outcome of the scheme of the version', async () => {
    const { run, publish, save, measure, read } = openSite()
    await run('publish', 'tls.md')
    const worse = makeOutcome({ scheme: 'max-1', verdict: 'worse' })
    const wide = { ...figures, interval: [-0.2, -0.1] as const, difference: -0.15 }
    save(makeResult([await measure('tls')], { schemes: [{ ...worse, figures: wide }, makeOutcome()] }))
    await publish('tls.md', '--eval', 'eval.json')
    expect(await read('tls')).toMatchObject([{ scheme: 'dense-1', verdict: 'as good' }])
  })

  it('signs and attaches in one command', async () => {
    const { folder, run, publish, save, measure } = openSite()
    const alice = createTestSigner(1)
    writeFileSync(join(folder, 'alice.pem'), alice.pem, { mode: 0o600 })
    await run('publish', 'tls.md')
    save(makeResult([await measure('tls')]))
    expect(await publish('tls.md', '--eval', 'eval.json', '--sign', 'alice.pem')).toMatchObject({
      published: [{ signer: alice.id, evaluation: attached }],
    })
  })

  it('of undecided answers, takes the count that is worse for the packs', async () => {
    const { run, publish, save, measure, read } = openSite()
    await run('publish', 'tls.md')
    const strict: PairedFigures = { ...figures, difference: -0.01, interval: [-0.03, 0.01] }
    save(makeResult([await measure('tls')], { schemes: [makeOutcome({ undecided_wrong: strict })] }))
    await publish('tls.md', '--eval', 'eval.json')
    expect(await read('tls')).toMatchObject([{ difference: -0.01, interval: [-0.03, 0.01] }])
  })

  it('fails for a version that the file does not measure, which stays published', async () => {
    const { run, save, read } = openSite()
    save(
      makeResult([
        { slug: 'tls', version: '1.0.0', compression: 'dense-1', pack_digest: digestOf('a'), questions: 12 },
      ]),
    )
    const failed = await run('publish', 'tls.md', '--eval', 'eval.json', '--json')
    expect([failed.status, JSON.parse(failed.stdout)]).toMatchObject([
      1,
      {
        ok: false,
        published: [
          {
            version: '1.0.0',
            status: 'published',
            code: 'evaluation_mismatch',
            message:
              'tls@1.0.0 is published; evaluation not attached: it measured tls@1.0.0 with another pack_digest',
            hint: 'evaluate /browse/tls.pack.json of the catalog, or a build with "version: 1.0.0" in the front matter',
          },
        ],
      },
    ])
    expect(await read('tls')).toBeUndefined()
  })

  it('of several sources, notes those that the file does not measure', async () => {
    const { run, publish, save, measure, read } = openSite({ 'a.md': write('a'), 'b.md': write('b') })
    await run('publish', 'a.md', 'b.md')
    save(makeResult([await measure('b')]))
    expect(await publish('a.md', 'b.md', '--eval', 'eval.json')).toMatchObject({
      ok: true,
      published: [
        {
          slug: 'a',
          code: null,
          evaluation_note: 'evaluation not attached: it measured other packs',
        },
        { slug: 'b', code: null, evaluation: attached },
      ],
    })
    expect([await read('a'), await read('b')]).toEqual([undefined, [attached]])
  })

  it('fails for all sources if the file measures none of them', async () => {
    const { publish, save } = openSite({ 'a.md': write('a'), 'b.md': write('b') })
    save(
      makeResult([
        { slug: 'c', version: '1.0.0', compression: 'dense-1', pack_digest: digestOf('c'), questions: 12 },
      ]),
    )
    const { published } = await publish('a.md', 'b.md', '--eval', 'eval.json')
    expect(published.map(({ code }) => code)).toEqual(['evaluation_mismatch', 'evaluation_mismatch'])
  })

  it.each<[string, string, readonly SchemeOutcome[]]>([
    ['its scheme was not reached', 'not tested', [makeOutcome({ verdict: 'not tested' })]],
    [
      'its prompt is the source',
      'there are no figures (same prompt)',
      [makeOutcome({ verdict: 'same prompt', figures: null })],
    ],
    ['the test is in doubt', 'no verdict', [makeOutcome({ verdict: 'no verdict' })]],
    ['its scheme is missing', 'it has nothing about the scheme dense-1', []],
    [
      'undecided answers decide',
      'the verdict depends on how undecided answers count',
      [makeOutcome({ undecided_wrong: { ...figures, interval: [-0.3, 0.012] } })],
    ],
  ])('says why it attaches nothing: %s', async (_, reason, schemes) => {
    const { run, save, measure, read } = openSite()
    await run('publish', 'tls.md')
    const other = makeOutcome({ scheme: 'glossary-1' })
    save(makeResult([await measure('tls')], { schemes: [...schemes, other] }))
    const printed = await run('publish', 'tls.md', '--eval', 'eval.json')
    expect([printed.status, printed.stdout]).toEqual([
      0,
      `unchanged tls@1.0.0\n  the newest version has the same source\n  evaluation not attached: ${reason}\n`,
    ])
    expect(await read('tls')).toBeUndefined()
  })

  it('attaches nothing to a version without compression', async () => {
    const { run, publish, save, measure } = openSite({ 'tls.md': write('tls', 'compression: none\n') })
    await run('publish', 'tls.md')
    save(makeResult([await measure('tls')]))
    expect((await publish('tls.md', '--eval', 'eval.json')).published[0]!.evaluation_note).toBe(
      'evaluation not attached: it has nothing about the scheme none',
    )
  })

  it('in a dry run, checks the file and says what it would attach', async () => {
    const { run, save, measure, read } = openSite({ 'a.md': write('a'), 'b.md': write('b') })
    await run('publish', 'a.md')
    save(makeResult([await measure('a')]))
    const plan = await run('publish', 'a.md', 'b.md', '--eval', 'eval.json', '--dry-run')
    expect([plan.status, plan.stdout]).toMatchObject([
      0,
      expect.stringContaining('  evaluation with gpt-5-mini would be attached: as good\n'),
    ])
    expect(plan.stdout).toContain('  evaluation not compared, because the version is not published yet\n')
    expect(await read('a')).toBeUndefined()
    save('{}', 'wrong.json')
    expect((await run('publish', 'a.md', '--eval', 'wrong.json', '--dry-run')).status).toBe(1)
  })

  it('reports that a version has too many evaluations', async () => {
    const { run, publish, save, measure, read } = openSite()
    await run('publish', 'tls.md')
    const measured = await measure('tls')
    for (const model of ['1', '2', '3', '4', '5', '6', '7', '8', '9']) {
      save(makeResult([measured], { model }))
      const [outcome] = (await publish('tls.md', '--eval', 'eval.json')).published
      expect(outcome!.code).toBe(model === '9' ? 'too_many_evaluations' : null)
    }
    expect(await read('tls')).toHaveLength(8)
  })
})

describe('a file that pack publish --eval cannot use', () => {
  const sound = makeResult([
    { slug: 'tls', version: '1.0.0', compression: 'dense-1', pack_digest: digestOf('a'), questions: 12 },
  ])
  const outcome = (wrong: object) => ({ ...sound, schemes: [{ ...makeOutcome(), ...wrong }] })
  const wrongFigures = (wrong: object) => outcome({ figures: { ...figures, ...wrong } })

  it.each<[string, unknown, string]>([
    ['is not JSON', 'model: x', 'eval.json is not JSON'],
    ['is no object', [], 'eval.json is not a result of `pack eval`: Invalid input'],
    ['is an error', { ok: false, error: {} }, 'format Invalid input: expected "packs-eval-1"'],
    ['has another format', { ...sound, format: 'packs-eval-2' }, 'format Invalid input'],
    ['has no date', { ...sound, date: 'today' }, 'date Invalid ISO datetime'],
    [
      'has a digest that is none',
      { ...sound, packs: [{ slug: 'x', version: '1.0.0', pack_digest: 'x', questions: 1 }] },
      'packs.0.pack_digest',
    ],
    ['is about one prompt of all packs', { ...sound, together: true }, 'measured all packs in one prompt'],
    ['has no figures at all', outcome({ figures: undefined }), 'schemes.0.figures'],
    ['has NaN as text', wrongFigures({ difference: 'NaN' }), 'schemes.0.figures.difference'],
    ['has an impossible difference', wrongFigures({ difference: 7 }), 'impossible figures: difference'],
    [
      'has a huge number',
      JSON.stringify(wrongFigures({ questions: 0 })).replace('"questions":0', '"questions":1e999'),
      'schemes.0.figures.questions',
    ],
    ['has half an interval', wrongFigures({ interval: [0] }), 'schemes.0.figures.interval'],
    [
      'has a verdict that its interval refutes',
      wrongFigures({ interval: [-0.9, 0.1] }),
      'verdict is not what the interval says',
    ],
    [
      'has a control character in the model',
      { ...sound, model: 'gpt\u001B[2J' },
      'model must have 1 to 100 characters',
    ],
    [
      'has no verdict',
      outcome({ verdict: 'no verdict' }),
      'eval.json has no verdict to attach (dense-1: no verdict)',
    ],
    ['has no scheme', { ...sound, schemes: [] }, 'eval.json has no verdict to attach (no scheme)'],
  ])('%s, before anything is built', async (_, value, message) => {
    const { run, save, withCatalog } = openSite()
    save(value)
    const failed = await run('publish', 'tls.md', '--eval', 'eval.json', '--json')
    const { error } = JSON.parse(failed.stdout) as { error: { code: string; message: string } }
    expect([failed.status, error.code]).toEqual([1, 'invalid_evaluation_file'])
    expect(error.message).toContain(message)
    expect(failed.stdout).not.toContain('\u001B')
    expect(await withCatalog(({ packs }) => packs.versions('tls'))).toEqual([])
  })

  it.each([
    ['is missing', 'other.json', 'other.json cannot be read: ENOENT'],
    ['is a folder', 'data', 'data cannot be read: '],
    ['is too large', 'large.json', 'large.json cannot be read: it has more than 67108864 bytes'],
  ])('%s', async (_, name, message) => {
    const { folder, run } = openSite()
    await run('publish', 'tls.md')
    writeFileSync(join(folder, 'large.json'), '')
    truncateSync(join(folder, 'large.json'), 64 * 1024 * 1024 + 1)
    const failed = await run('publish', 'tls.md', '--eval', name)
    expect([failed.status, failed.stderr]).toEqual([1, expect.stringContaining(message)])
    expect((await run('publish', 'tls.md', '--eval', name, '--json')).stdout).toContain('"file_unreadable"')
  })
})

describe('pack verify', () => {
  it('names evaluations that cannot be read', async () => {
    const { folder, run, save, measure } = openSite()
    await run('publish', 'tls.md')
    save(makeResult([await measure('tls')]))
    await run('publish', 'tls.md', '--eval', 'eval.json')
    expect((await run('verify', 'tls@1.0.0')).status).toBe(0)
    const database = new DatabaseSync(join(folder, 'data', 'catalog.sqlite'))
    database.exec(`update versions set evaluations = 'x'`)
    database.close()
    const damaged = await run('verify', '--all')
    expect([damaged.status, damaged.stdout]).toEqual([1, expect.stringContaining('versions.evaluations')])
  })
})
