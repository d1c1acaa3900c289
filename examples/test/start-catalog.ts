import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { openCatalog, type Tier } from '@packs/catalog'

const root = join(import.meta.dirname, '..', '..')
const actor = { kind: 'operator', id: 'ada' } as const

/** A server of `pack serve` with example packs. */
export interface ServedCatalog {
  readonly url: string
  /** A key of an account of each tier. */
  readonly keys: Readonly<Record<Tier, string>>
  /** Temporary folder, deleted by `close`; the catalog is in `data`. */
  readonly folder: string
  readonly data: string
  close(): Promise<void>
}

/** Publishes the example packs as the demo does, and serves them. */
export async function startCatalog(): Promise<ServedCatalog> {
  const folder = mkdtempSync(join(tmpdir(), 'packs-agent-'))
  const data = join(folder, 'data')
  const program = join(root, 'packages/cli/bin/pack.js')
  const env = { ...process.env, DATABASE_URL: '', REDIS_URL: '' }
  const cwd = join(root, 'examples', 'packs')
  await runProgram(process.execPath, [program, 'publish', '.', '--data', data], { env, cwd })
  const catalog = await openCatalog({ url: join(data, 'catalog.sqlite') })
  const makeKey = async (tier: Tier): Promise<string> => {
    const wanted = { email: `${tier}@example.org`, tier, daily: null, actor }
    const { account } = await catalog.accounts.createClaimed(wanted, new Date())
    return (await catalog.keys.create({ accountId: account.id, name: 'agent', actor }, new Date())).key
  }
  const keys = { free: await makeKey('free'), pro: await makeKey('pro') }
  await catalog.close()
  const server = spawn(process.execPath, [program, 'serve', '--port', '0', '--data', data], {
    env,
    stdio: ['ignore', 'pipe', 'ignore'],
  })
  let url = ''
  for await (const line of createInterface({ input: server.stdout })) {
    url = line
    break
  }
  return {
    url,
    keys,
    folder,
    data,
    async close() {
      if (server.exitCode === null && server.kill('SIGKILL')) await once(server, 'exit')
      rmSync(folder, { recursive: true })
    },
  }
}

/** What a program has written when it ended. */
export interface ProgramResult {
  readonly status: number | null
  readonly stdout: string
  readonly stderr: string
}

/** Runs a program to its end. */
export async function runProgram(
  command: string,
  args: readonly string[],
  options: { readonly env?: NodeJS.ProcessEnv; readonly cwd?: string } = {},
): Promise<ProgramResult> {
  const child = spawn(command, args, { ...options, stdio: ['ignore', 'pipe', 'pipe'] })
  let stdout = ''
  let stderr = ''
  child.stdout.setEncoding('utf8').on('data', (chunk: string) => (stdout += chunk))
  child.stderr.setEncoding('utf8').on('data', (chunk: string) => (stderr += chunk))
  const [status] = (await once(child, 'close')) as [number | null]
  return { status, stdout, stderr }
}
