import { createHash } from 'node:crypto'
import { lstatSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { createPrivately, findExposure, findRegularFile, makeFolder, replacePrivately } from '@packs/files'
import { z } from 'zod'
import { EvalError } from '../eval-error.ts'
import type { Answer, AskedModel, CallOptions, Prompt } from './ask-model.ts'
import { InvalidArgumentError } from 'commander'
import type { BilledTokens } from '../types.ts'

/** A question to a model. Equal calls have one answer, which is stored. */
export interface Call {
  readonly prompt: Prompt
  readonly model: AskedModel
  readonly options: CallOptions
  /** From 0; another number asks the same again. */
  readonly replicate: number
  /** Tokens of the system prompt, for estimates. */
  readonly promptTokens?: number | undefined
}

export interface StoredAnswer extends Answer {
  readonly model: string
  readonly url: string | null
  /** When it came, ISO 8601 in UTC. */
  readonly at: string
}

export interface CallStore {
  readonly find: (call: Call) => StoredAnswer | undefined
  /** On a full disk uses the reserved space and sets {@link CallStore.fault}: then ask no more. */
  readonly save: (call: Call, answer: StoredAnswer) => void
  readonly fault: () => EvalError | undefined
  /** Answers in the folder, to whatever call. */
  readonly count: () => number
  /** Lets other programs use the folder. */
  readonly close: () => void
}

/** Enough for the answers that are on their way when the disk is full. */
const RESERVE_BYTES = 1024 * 1024
const MAX_BYTES = 8 * 1024 * 1024

const count = z.number().int().nonnegative().nullable()
const schema = z.object({
  text: z.string(),
  returned: z.string(),
  finish: z.string(),
  tokens: z.object({ input: count, cached: count, output: count, reasoning: count }),
  milliseconds: z.number().nonnegative(),
  model: z.string(),
  url: z.string().nullable(),
  at: z.iso.datetime(),
})

/** Returns the digest of everything that an answer depends on: SHA-256 in hexadecimal. */
export function digestCall({ prompt: { system, user }, model, options, replicate }: Call): string {
  const given = Object.entries(options).filter(([, value]) => value !== undefined)
  const settings = given.toSorted(([a], [b]) => (a < b ? -1 : 1))
  return createHash('sha256')
    .update(JSON.stringify([system ?? null, user, model.name, settings, replicate]))
    .digest('hex')
}

/**
 * @param isReading only reads: the folder need not exist, and other programs may use it
 * @param write writes a file that only this user can read
 */
export function openStore(
  folder: string,
  isReading: boolean,
  write: (path: string, data: Uint8Array) => void = replacePrivately,
): CallStore {
  const calls = join(folder, 'calls')
  const reserve = join(folder, 'reserve')
  const nameFile = (call: Call): string => join(calls, `${digestCall(call)}.json`)
  let fault: EvalError | undefined
  const unlock = isReading ? undefined : prepareFolder(folder, calls)
  if (!isReading)
    try {
      write(reserve, Buffer.alloc(RESERVE_BYTES))
    } catch (error) {
      unlock?.()
      throw storeError(folder, error)
    }
  return {
    find(call) {
      const file = findRegularFile(nameFile(call), MAX_BYTES, true)
      return file && parseAnswer(file.data)
    },
    save(call, answer) {
      const data = Buffer.from(`${JSON.stringify(answer)}\n`)
      try {
        write(nameFile(call), data)
      } catch (error) {
        fault ??= storeError(folder, error)
        rmSync(reserve, { force: true })
        try {
          write(nameFile(call), data)
        } catch {
          throw fault
        }
      }
    },
    fault: () => fault,
    count: () => listFiles(calls).length,
    close() {
      if (isReading) return
      rmSync(reserve, { force: true })
      unlock?.()
    },
  }
}

const held = new Set<string>()

/** Creates the folders and locks them for this program. Returns what undoes the lock. */
function prepareFolder(folder: string, calls: string): () => void {
  try {
    makeFolder(calls, 0o700)
    const stats = lstatSync(folder)
    const exposure = stats.isDirectory() ? findExposure(folder, stats) : 'is not a folder'
    if (exposure !== undefined) throw new Error(`${folder} ${exposure}`)
    replacePrivately(join(folder, '.gitignore'), Buffer.from('*\n'))
  } catch (error) {
    throw storeError(folder, error)
  }
  const lock = resolve(folder, 'lock')
  for (let isRetried = false; ; isRetried = true) {
    try {
      createPrivately(lock, Buffer.from(`${process.pid}\n`))
      break
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw storeError(folder, error)
      const owner = findOwner(lock)
      if (isRetried || owner !== undefined) {
        const problem = `another pack eval${owner === undefined ? '' : ` (process ${owner})`} uses ${folder}`
        const hint = `wait until it has ended; if there is none, delete ${lock}`
        throw new EvalError('store_in_use', problem, hint)
      }
      rmSync(lock, { force: true })
    }
  }
  held.add(lock)
  const unlock = (): void => {
    held.delete(lock)
    rmSync(lock, { force: true })
  }
  process.once('exit', unlock)
  return () => {
    process.removeListener('exit', unlock)
    unlock()
  }
}

/** Returns the process that holds a lock, if it still runs. */
function findOwner(lock: string): number | undefined {
  try {
    const owner = Number(readFileSync(lock, 'utf8'))
    // In a container, this program may have the number of one that was killed.
    if (owner === process.pid && !held.has(lock)) return undefined
    process.kill(owner, 0)
    return owner
  } catch (error) {
    // The process of another user cannot be signalled.
    return (error as NodeJS.ErrnoException).code === 'EPERM' ? 0 : undefined
  }
}

function parseAnswer(data: Buffer): StoredAnswer | undefined {
  try {
    return schema.parse(JSON.parse(data.toString('utf8')))
  } catch {
    // It is asked again, as if it were missing.
    return undefined
  }
}

function listFiles(folder: string): readonly string[] {
  try {
    return readdirSync(folder).filter((name) => name.endsWith('.json') && !name.startsWith('.'))
  } catch {
    return []
  }
}

const HINTS: ReadonlyMap<string, string> = new Map([
  ['ENOSPC', 'free some space, then run the same command again: what is stored is not asked again'],
  ['EDQUOT', 'free some space, then run the same command again: what is stored is not asked again'],
  ['EROFS', 'run it in a folder that you can write to'],
  ['EACCES', 'run it in a folder that you can write to'],
  ['ENOTDIR', 'remove the file that is in the way'],
  ['EEXIST', 'remove the file that is in the way'],
])

function storeError(folder: string, error: unknown): EvalError {
  const { code = '', message } = error as NodeJS.ErrnoException
  const hint = HINTS.get(code) ?? 'make it a private folder of this user (chmod 700), or remove it'
  const problem = code === 'ENOSPC' || code === 'EDQUOT' ? 'no space left on the device' : message
  const fault = `answers cannot be stored in ${folder}: ${problem}`
  return new EvalError('store_failed', fault, hint, { file: folder })
}

/** Dollars per million tokens. */
export interface Prices {
  readonly input: number
  readonly cached: number
  readonly output: number
}

export function parsePrices(text: string): Prices {
  const [input, cached, output, ...others] = text.split(',').map(readAmount)
  if (input !== undefined && cached !== undefined && output !== undefined && others.length === 0)
    return { input, cached, output }
  const advice = 'Give dollars per million tokens for input, cached input and output: 0.25,0.025,2.'
  throw new InvalidArgumentError(advice)
}

export function readAmount(text: string): number {
  if (!/^\d{1,6}(?:\.\d{1,6})?$/.test(text.trim()))
    throw new InvalidArgumentError('Give dollars as a number such as 2 or 0.25.')
  return Number(text)
}

/** Returns the dollars of tokens. Output includes reasoning; unknown tokens count as none. */
export function priceTokens(
  { input, cached, output }: Omit<BilledTokens, 'reasoning'>,
  prices: Prices,
): number {
  const fromCache = Math.min(cached ?? 0, input ?? 0)
  const fresh = (input ?? 0) - fromCache
  return (fresh * prices.input + fromCache * prices.cached + (output ?? 0) * prices.output) / 1_000_000
}
