import { execFileSync } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, globSync, readdirSync, readFileSync } from 'node:fs'
import { BlockList } from 'node:net'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { describe, expect, it, onTestFinished } from 'vitest'
import { parse } from 'yaml'
import { startOwnRedis } from '../../../test-kit/test/start-redis.ts'
import { makeFolder, startPack } from '../../../test-kit/test/run-pack.ts'
import { startServer } from '../../../test-kit/test/start-server.ts'
import { fillIn, readArguments, readCompose, readDocument, readUnit, root } from './read-examples.ts'

const SECRETS = {
  PACKS_HOST: 'packs.example.org',
  POSTGRES_PASSWORD: 'p',
  REDIS_PASSWORD: 'r',
  PACK_OPERATOR_TOKEN: 'a-token-of-the-operator',
  PACK_SECRET: 'a-secret-of-thirty-two-letters-and-more',
  PACK_SMTP_URL: 'smtp://packs:p@mail.example.org',
  PACK_SMTP_FROM: 'Packs <packs@example.org>',
  PACK_CONTACT: 'packs@example.org',
}
const NAMES = /^[A-Z][A-Z_]+$/

/** Longest shutdown of `pack serve` and `pack worker`, in seconds. */
const MAX_SHUTDOWN = 25

const sources = globSync('packages/{cli,server}/src/**/*.ts', { cwd: root }).map((path) =>
  readFileSync(join(root, path), 'utf8'),
)

/** Whether the source of the program contains the variable. */
const isKnown = (name: string): boolean => sources.some((text) => new RegExp(`\\b${name}\\b`).test(text))

/** Starts `pack worker`, stops it as soon as it waits for jobs, and returns its exit status and signal. */
async function runWorker(
  args: readonly string[],
  cwd: string,
  env: Readonly<Record<string, string>>,
): Promise<unknown> {
  const worker = startPack(args, { cwd, env })
  onTestFinished(() => void worker.kill('SIGKILL'))
  const ended = once(worker, 'close')
  for await (const line of createInterface(worker.stderr!)) {
    if (line.includes('waiting for jobs')) break
  }
  worker.kill('SIGTERM')
  return ended
}

describe('the compose file', () => {
  const { serve, worker, redis, proxy } = readCompose()

  it('pins images by digest', () => {
    const images = Object.values(readCompose()).map(({ image, build }) =>
      build === undefined ? image : /^FROM (.*)$/m.exec(build.dockerfile_inline)?.[1],
    )
    expect(images).toHaveLength(5)
    for (const image of images) expect(image).toMatch(/^[a-z]+:[\w.-]+@sha256:[0-9a-f]{64}$/)
  })

  it('trusts the address of its proxy only, which no other container gets', () => {
    const address = proxy!.networks!.default.ipv4_address
    const { networks } = parse(readDocument('operations/compose.yaml'), { merge: true }) as {
      networks: { default: { ipam: { config: { subnet: string; ip_range: string }[] } } }
    }
    const { subnet, ip_range: range } = networks.default.ipam.config[0]!
    const contains = (network: string): boolean => {
      const list = new BlockList()
      const [base = '', length] = network.split('/')
      list.addSubnet(base, Number(length))
      return list.check(address)
    }
    expect(serve!.command).toEqual(expect.arrayContaining(['--trust-proxy', address]))
    expect(serve!.command!.filter((word) => /^[\d./]+$/.test(word))).toEqual(['0.0.0.0', address])
    expect([contains(subnet), contains(range)]).toEqual([true, false])
  })

  it('sets only variables that the program reads, and uses those of the example of secrets', () => {
    const variables = [serve, worker].flatMap((service) => Object.keys(service?.environment ?? {}))
    expect(variables.filter((name) => !isKnown(name))).toEqual([])
    expect(new Set(variables)).toEqual(
      new Set([
        'DATABASE_URL',
        'REDIS_URL',
        ...Object.keys(SECRETS).filter((name) => name.startsWith('PACK_')),
      ]),
    )
    const example = readDocument('operations/packs.env.example').match(/^[A-Z_]+(?==)/gm)
    const used = [...readDocument('operations/compose.yaml').matchAll(/\$\{(\w+)/g)].map(([, name]) => name)
    expect(new Set(example)).toEqual(new Set(used))
    for (const file of ['.gitignore', '.dockerignore']) {
      expect(readFileSync(join(root, file), 'utf8')).toMatch(/^docs\/operations\/packs\.env$/m)
    }
  })

  it('builds an image whose program exists, and allows more time to stop than it needs', () => {
    const [, ...entry] = JSON.parse(
      /^ENTRYPOINT (.*)$/m.exec(serve!.build!.dockerfile_inline)![1]!,
    ) as string[]
    expect(entry.map((path) => existsSync(join(root, path)))).toEqual([true])
    for (const service of [serve, worker]) {
      expect(Number(/^(\d+)s$/.exec(service!.stop_grace_period!)![1])).toBeGreaterThanOrEqual(
        MAX_SHUTDOWN + 10,
      )
    }
  })

  it('starts a server and a worker with a Redis of these settings, healthy and without writing files', async () => {
    const [, ...settings] = redis!.command!
    const own = await startOwnRedis(settings.map((text) => fillIn(text, SECRETS)))
    // The password is in the URL that the file gives to servers and workers.
    const redisUrl = fillIn(serve!.environment!['REDIS_URL']!, SECRETS).replace(
      'redis:6379',
      new URL(own.url).host,
    )
    const [cwd, data] = [makeFolder(), makeFolder()]
    const urls: Record<string, string> = { DATABASE_URL: join(data, 'catalog.sqlite'), REDIS_URL: redisUrl }
    const fill = (environment: Readonly<Record<string, string>> = {}): Record<string, string> =>
      Object.fromEntries(
        Object.entries(environment).map(([name, text]) => [name, urls[name] ?? fillIn(text, SECRETS)]),
      )

    const [command, ...args] = serve!.command!.map((text) => fillIn(text, SECRETS))
    expect(command).toBe('serve')
    const server = await startServer([...args, '--host', '127.0.0.1'], {
      ...fill(serve!.environment),
      PACK_DATA: join(cwd, 'no'),
    })
    const { port } = server
    const [, program, ...test] = serve!.healthcheck!.test
    expect([program, test[0]]).toEqual(['node', '-e'])
    execFileSync(process.execPath, ['-e', test[1]!.replace(':8080/', `:${port}/`)])
    expect(() =>
      execFileSync(process.execPath, ['-e', test[1]!.replace(':8080/', ':1/')], { stdio: 'ignore' }),
    ).toThrow(/Command failed/)
    const metrics = await fetch(`http://127.0.0.1:${port}/metrics`, {
      headers: { authorization: `Bearer ${SECRETS.PACK_OPERATOR_TOKEN}` },
    })
    const known = new Set([...(await metrics.text()).matchAll(/^# TYPE (\w+)/gm)].map(([, name]) => name))
    const watched = readDocument('operations/alerts.yaml').match(/\bpacks_\w+/g)!
    expect(watched.filter((name) => !known.has(name.replace(/_(?:bucket|count)$/, '')))).toEqual([])

    expect(await runWorker(worker!.command!, cwd, fill(worker!.environment))).toEqual([0, null])
    expect(await server.end('SIGTERM')).toBe(0)
    expect(readdirSync(cwd)).toEqual([])
  })
})

describe('the systemd units', () => {
  const units = [readUnit('packs-serve'), readUnit('packs-worker')] as const
  const [serve, worker] = units

  it('use variables that the program reads, and the user, folders and files of the documentation', () => {
    const guides = ['run', 'accounts-and-secrets', 'backup-and-upgrade', 'capacity', 'alerts']
    const text = guides.map((name) => readDocument(`operations/${name}.md`)).join('\n')
    for (const unit of units) {
      const [variable = '', folder = ''] = unit.get('Environment')![0]!.split('=')
      expect([isKnown(variable), folder]).toEqual([true, `/var/lib/${unit.get('StateDirectory')![0]}`])
      expect(unit.get('WorkingDirectory')).toEqual([folder])
      expect(text).toContain(`--home-dir ${folder} --shell /usr/sbin/nologin ${unit.get('User')![0]}`)
      expect(text).toContain(unit.get('EnvironmentFile')![0]!.replace(/^-/, ''))
      expect(text).toContain('/opt/packs')
      expect(Number(unit.get('TimeoutStopSec')![0])).toBeGreaterThanOrEqual(MAX_SHUTDOWN + 10)
    }
    const mentioned = new Set(
      text.match(/\b(?:PACK_[A-Z_]+|[A-Z]+_URL)\b/g)?.filter((name) => NAMES.test(name)),
    )
    const shown = [...mentioned].filter((name) => !name.startsWith('EMPTY_'))
    expect(shown.filter((name) => !isKnown(name))).toEqual([])
  })

  it('start a server with the embedded catalog, and a worker', async () => {
    const data = makeFolder()
    const [command, ...args] = readArguments(serve)
    expect(command).toBe('serve')
    const server = await startServer(args, { PACK_DATA: data, DATABASE_URL: '', REDIS_URL: '' })
    expect(readdirSync(data)).toEqual(expect.arrayContaining(['catalog.sqlite', 'operator-token']))
    const own = await startOwnRedis()
    const env = { PACK_DATA: data, DATABASE_URL: '', REDIS_URL: own.url }
    expect(await runWorker(readArguments(worker), data, env)).toEqual([0, null])
    expect(await server.end('SIGTERM')).toBe(0)
  })
})
