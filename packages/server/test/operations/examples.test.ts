import { execFileSync } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, globSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { BlockList } from 'node:net'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { describe, expect, it, onTestFinished } from 'vitest'
import { parse } from 'yaml'
import { startOwnRedis } from '../../../test-kit/test/start-redis.ts'
import { makeFolder, startPack } from '../../../test-kit/test/run-pack.ts'
import { startServer } from '../../../test-kit/test/start-server.ts'
import { variableNames } from '../../src/services/environment.ts'
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

const dockerfile = readFileSync(join(root, 'Dockerfile'), 'utf8')

/** Whether the source of the program contains the variable. */
const isKnown = (name: string): boolean =>
  variableNames.includes(name) || sources.some((text) => new RegExp(`\\b${name}\\b`).test(text))

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
    const services = Object.values(readCompose()).filter(({ build }) => build === undefined)
    const images = [...services.map(({ image }) => image), /^FROM (\S+) AS build$/m.exec(dockerfile)?.[1]]
    expect(images).toHaveLength(4)
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
    expect(serve!.command!.filter((word) => /^[\d./]+$/.test(word) && word.includes('.'))).toEqual([
      '0.0.0.0',
      address,
    ])
    expect([contains(subnet), contains(range)]).toEqual([true, false])
  })

  it('sets only variables that the program reads, and uses those of the example of secrets', () => {
    const variables = [serve, worker].flatMap((service) => Object.keys(service?.environment ?? {}))
    expect(variables.filter((name) => !isKnown(name))).toEqual([])
    expect(new Set(variables)).toEqual(
      new Set([
        'DATABASE_URL',
        'REDIS_URL',
        'PACK_ADMIN_PORT',
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
    expect([serve!.build, worker!.build]).toEqual([{ context: '../..' }, { context: '../..' }])
    const [, entry = ''] = JSON.parse(/^ENTRYPOINT (.*)$/m.exec(dockerfile)![1]!) as string[]
    const [, name = '', path = ''] = /^\/opt\/packs\/node_modules\/@packs\/(\w+)\/(.*)$/.exec(entry)!
    expect(existsSync(join(root, 'packages', name, path))).toBe(true)
    const { dependencies } = JSON.parse(readFileSync(join(root, 'image/package.json'), 'utf8')) as {
      dependencies: object
    }
    expect(Object.keys(dependencies)).toEqual(['@packs/cli', '@packs/server'])
    const set = /^ENV ((?:.*\\\n)*.*)$/m.exec(dockerfile)![1]!.matchAll(/(PACK_\w+)=/g)
    expect([...set].map(([, variable]) => isKnown(variable!))).toEqual([true, true])
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
      PACK_ADMIN_PORT: '0',
      PACK_DATA: join(cwd, 'no'),
    })
    const { adminPort: port } = server
    const [, program, ...test] = serve!.healthcheck!.test
    expect([program, test[0]]).toEqual(['node', '-e'])
    execFileSync(process.execPath, ['-e', test[1]!.replace(':9090/', `:${port}/`)])
    expect(() =>
      execFileSync(process.execPath, ['-e', test[1]!.replace(':9090/', ':1/')], { stdio: 'ignore' }),
    ).toThrow(/Command failed/)
    const metrics = await fetch(`http://127.0.0.1:${port}/metrics`, {
      headers: { authorization: `Bearer ${SECRETS.PACK_OPERATOR_TOKEN}` },
    })
    const known = new Set([...(await metrics.text()).matchAll(/^# TYPE (\w+)/gm)].map(([, name]) => name))
    const watched = readDocument('operations/alerts.yaml').match(/\bpacks_\w+/g)!
    expect(watched.filter((name) => !known.has(name.replace(/_(?:bucket|count)$/, '')))).toEqual([])

    expect(
      await runWorker(worker!.command!, cwd, { ...fill(worker!.environment), PACK_ADMIN_PORT: '0' }),
    ).toEqual([0, null])
    expect(await server.end('SIGTERM')).toBe(0)
    expect(readdirSync(cwd)).toEqual([])
  })
})

describe('the systemd units', () => {
  const units = [readUnit('packs-serve'), readUnit('packs-worker')] as const
  const [serve, worker] = units

  it('use variables that the program reads, and the user, folders and files of the documentation', () => {
    const guides = [
      'run',
      'many-machines',
      'kubernetes',
      'variables',
      'accounts-and-secrets',
      'backup-and-upgrade',
      'capacity',
      'alerts',
    ]
    const text = guides.map((name) => readDocument(`operations/${name}.md`)).join('\n')
    for (const unit of units) {
      const [variable = '', folder = ''] = unit.get('Environment')![0]!.split('=')
      expect([isKnown(variable), folder]).toEqual([true, `/var/lib/${unit.get('StateDirectory')![0]}`])
      expect(unit.get('WorkingDirectory')).toEqual([folder])
      expect(text).toContain(`--home-dir ${folder} --shell /usr/sbin/nologin ${unit.get('User')![0]}`)
      expect(text).toContain(unit.get('EnvironmentFile')![0]!.replace(/^-/, ''))
      expect(text).toContain('/opt/packs')
      const drain = unit === serve ? Number(readArguments(serve)[2]) : 0
      expect(Number(unit.get('TimeoutStopSec')![0])).toBeGreaterThanOrEqual(drain + MAX_SHUTDOWN + 10)
    }
    const mentioned = new Set(
      text.match(/\b(?:PACK_[A-Z_]+|[A-Z]+_URL)\b/g)?.filter((name) => NAMES.test(name)),
    )
    const shown = [...mentioned].filter((name) => !name.startsWith('EMPTY_'))
    expect(shown.filter((name) => !isKnown(name))).toEqual([])
  })

  it('start again for ever, and one of them for each port', () => {
    const each = readUnit('packs-serve@')
    for (const unit of [...units, each]) {
      expect(unit.get('StartLimitIntervalSec')).toEqual(['0'])
      expect(unit.get('After')![0]).toContain('postgresql.service redis-server.service')
    }
    const without = (unit: typeof each): unknown =>
      [...unit].filter(([name]) => name !== 'Description' && name !== 'ExecStart')
    expect(without(each)).toEqual(without(serve))
    expect(readArguments(each).join(' ')).toContain('serve --port %i --drain 5')
  })

  it('start a server with the embedded catalog, and a worker', async () => {
    const data = makeFolder()
    const [command, ...args] = readArguments(serve)
    expect([command, args[0]]).toEqual(['serve', '--drain'])
    const server = await startServer(args.with(1, '0'), { PACK_DATA: data, DATABASE_URL: '', REDIS_URL: '' })
    expect(readdirSync(data)).toEqual(expect.arrayContaining(['catalog.sqlite', 'operator-token']))
    const own = await startOwnRedis()
    const env = { PACK_DATA: data, DATABASE_URL: '', REDIS_URL: own.url }
    expect(await runWorker(readArguments(worker), data, env)).toEqual([0, null])
    expect(await server.end('SIGTERM')).toBe(0)
  })
})

describe('the manifest for Kubernetes', () => {
  interface Container {
    readonly args: readonly string[]
    readonly env: readonly { readonly name: string; readonly value?: string }[]
    readonly ports: readonly { readonly name: string; readonly containerPort: number }[]
    readonly startupProbe: { readonly httpGet: { readonly path: string; readonly port: string } }
    readonly volumeMounts: readonly { readonly mountPath: string; readonly readOnly?: boolean }[]
  }
  interface Item {
    readonly kind: string
    readonly stringData: object
    readonly spec: {
      readonly template: {
        readonly spec: {
          readonly terminationGracePeriodSeconds: number
          readonly containers: readonly Container[]
        }
      }
    }
  }
  const { items } = parse(readDocument('operations/kubernetes.yaml')) as { items: readonly Item[] }
  const secrets = Object.keys(items.find(({ kind }) => kind === 'Secret')!.stringData)
  const pods = items.filter(({ kind }) => kind === 'Deployment').map(({ spec }) => spec.template.spec)

  it('has variables that the program reads, and a file of the secret for each secret', () => {
    const variables = pods.flatMap(({ containers }) => containers.flatMap(({ env }) => env))
    expect(variables.filter(({ name }) => !variableNames.includes(name))).toEqual([])
    const files = variables.filter(({ name }) => name.endsWith('_FILE'))
    expect(
      files.map(({ value }) => value!.replace('/etc/packs/', '')).every((name) => secrets.includes(name)),
    ).toBe(true)
    expect(files).toHaveLength(7)
  })

  it('has a budget for disruptions and an autoscaler of the server, which sets its replicas', () => {
    const find = (wanted: string): unknown => items.find(({ kind }) => kind === wanted)?.spec
    const selector = { matchLabels: { app: 'packs-serve' } }
    expect(find('PodDisruptionBudget')).toEqual({ minAvailable: 1, selector })
    const scaleTargetRef = { kind: 'Deployment', name: 'packs-serve' }
    expect(find('HorizontalPodAutoscaler')).toMatchObject({ scaleTargetRef, minReplicas: 2 })
    expect(find('Deployment')).not.toHaveProperty('replicas')
  })

  it('starts a server and a worker, whose probes answer on their admin port, with time to end', async () => {
    const own = await startOwnRedis()
    const data = makeFolder({
      'redis-url': own.url,
      'operator-token': SECRETS.PACK_OPERATOR_TOKEN,
      secret: SECRETS.PACK_SECRET,
    })
    writeFileSync(join(data, 'database-url'), join(data, 'catalog.sqlite'))
    const [serve, worker] = pods.map(({ containers }) => containers[0]!)
    const readEnv = ({ env }: Container): Record<string, string> => ({
      ...Object.fromEntries(env.map(({ name, value = '' }) => [name, value.replace('/etc/packs', data)])),
      PACK_ADMIN_PORT: '0',
      PACK_SECRET: '',
    })
    const [command, ...args] = serve!.args
    expect([command, serve!.args[2], pods[0]!.terminationGracePeriodSeconds]).toEqual(['serve', '15', 50])
    const server = await startServer(
      args.map((word) => word.replace('15', '0')),
      readEnv(serve!),
    )
    for (const { startupProbe, ports } of [serve!, worker!]) {
      expect(ports).toContainEqual({ name: startupProbe.httpGet.port, containerPort: 9090 })
    }
    const { path } = serve!.startupProbe.httpGet
    expect((await fetch(`http://127.0.0.1:${server.adminPort}${path}`)).status).toBe(200)
    expect(await runWorker(worker!.args, data, readEnv(worker!))).toEqual([0, null])
    expect(await server.end('SIGTERM')).toBe(0)
  })
})
