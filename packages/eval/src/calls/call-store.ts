import { createHash } from 'node:crypto'
import { lstatSync } from 'node:fs'
import { join } from 'node:path'
import { findExposure, findRegularFile, makeFolder, replacePrivately } from '@packs/files'
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
  /** @throws EvalError `store_failed`, on a full disk for example */
  readonly save: (call: Call, answer: StoredAnswer) => void
}

const MAX_BYTES = 8 * 1024 * 1024

const count = z.number().int().nonnegative().nullable()
const schema = z.object({
  text: z.string(),
  returned: z.string(),
  finish: z.string(),
  tokens: z.object({ input: count, cached: count, output: count, reasoning: count }),
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
 * Several programs may use one folder: an answer is one file, which is written in one step.
 * @param isReading only reads: the folder need not exist
 * @param write writes a file that only this user can read
 */
export function openStore(
  folder: string,
  isReading: boolean,
  write: (path: string, data: Uint8Array) => void = replacePrivately,
): CallStore {
  const calls = join(folder, 'calls')
  const nameFile = (call: Call): string => join(calls, `${digestCall(call)}.json`)
  if (!isReading) prepareFolder(folder, calls)
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
        throw storeError(folder, error)
      }
    },
  }
}

function prepareFolder(folder: string, calls: string): void {
  try {
    makeFolder(calls, 0o700)
    const stats = lstatSync(folder)
    const exposure = stats.isDirectory() ? findExposure(folder, stats) : 'is not a folder'
    if (exposure !== undefined) throw new Error(`${folder} ${exposure}`)
    replacePrivately(join(folder, '.gitignore'), Buffer.from('*\n'))
  } catch (error) {
    throw storeError(folder, error)
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
