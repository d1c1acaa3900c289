import { closeSync, constants, fstatSync, lstatSync, openSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { MAX_SLUG } from '@packs/codec/pack'
import { z } from 'zod'
import { describeError } from '../../output/report-error.ts'
import { formatPath } from '../../output/terminal.ts'
import { writeGenerated } from '../../output/write-file.ts'

/** Name of the file in an output folder that records what builds wrote there. */
const RECORDS_FILE = '.packs.json'
/** Changes with the form of the file. */
const FORMAT = 'packs-build/1'
const MAX_RECORDS = 100_000
const MAX_BYTES = 64 * 1024 * 1024

/** A pack that a build wrote. */
export interface PackRecord {
  readonly slug: string
  /** Path of the source, relative to the output folder, with `/`. */
  readonly source: string
  /** Digest of the inputs that found the source. */
  readonly inputs: string
  /** SHA-256 of the file of the pack. */
  readonly digest: string
}

const recordSchema = z.object({
  slug: z
    .string()
    .max(MAX_SLUG)
    .regex(/^[a-z0-9]+(?:-[a-z0-9]+)*$/),
  source: z.string().min(1).max(8192),
  inputs: z.string().regex(/^[0-9a-f]{16}$/),
  digest: z.string().regex(/^[0-9a-f]{64}$/),
}) satisfies z.ZodType<PackRecord>

const fileSchema = z.object({ format: z.literal(FORMAT), packs: z.array(recordSchema).max(MAX_RECORDS) })

/** The records of an output folder, and why they cannot be used. */
export interface PackRecords {
  readonly records: readonly PackRecord[]
  readonly fault?: string
}

/** Reads what builds recorded in a folder. Nothing is returned of a file that this program did not write. */
export function readRecords(folder: string, cwd: string): PackRecords {
  const path = join(folder, RECORDS_FILE)
  try {
    const data = readRegularFile(path, MAX_BYTES)
    if (data === undefined) return { records: [] }
    return { records: fileSchema.parse(JSON.parse(data.toString())).packs }
  } catch {
    const shown = formatPath(path, cwd)
    return { records: [], fault: `${shown} is not the record of a build; no pack is removed because of it` }
  }
}

/** Writes the records of a folder, and returns why that is not possible. */
export function writeRecords(
  folder: string,
  records: readonly PackRecord[],
  cwd: string,
): string | undefined {
  const path = join(folder, RECORDS_FILE)
  const packs = records.toSorted((a, b) => (a.slug < b.slug ? -1 : 1)).slice(0, MAX_RECORDS)
  const text = `${JSON.stringify({ format: FORMAT, packs }, null, 1)}\n`
  try {
    writeGenerated(path, Buffer.from(text), formatPath(path, cwd))
    return undefined
  } catch (error) {
    return describeError(error).message
  }
}

/** On Windows the last two are undefined, which counts as 0. */
const { O_RDONLY, O_NOFOLLOW, O_NONBLOCK } = constants

/**
 * Reads a file that is neither a link nor a device, and returns undefined if there is none.
 *
 * @throws Error if it is something else, too large or cannot be read
 */
export function readRegularFile(path: string, limit: number): Buffer | undefined {
  if (lstatSync(path, { throwIfNoEntry: false }) === undefined) return undefined
  const file = openSync(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK)
  try {
    const stats = fstatSync(file)
    if (!stats.isFile() || stats.size > limit) throw new Error('it is not a file of this program')
    return readFileSync(file)
  } finally {
    closeSync(file)
  }
}
