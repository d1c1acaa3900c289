import { join } from 'node:path'
import { readRegularFile } from '@packs/client/files'
import { MAX_SLUG } from '@packs/codec/slug'
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

/** The records of an output folder, and why they cannot be used. */
export interface PackRecords {
  readonly records: readonly PackRecord[]
  readonly fault?: string
}

/** Reads what builds recorded in a folder. Nothing is returned of a file that this program did not write. */
export function readRecords(folder: string, cwd: string): PackRecords {
  const path = join(folder, RECORDS_FILE)
  try {
    return { records: parseRecords(readRegularFile(path, MAX_BYTES, true).data.toString()) }
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return { records: [] }
    const shown = formatPath(path, cwd)
    return { records: [], fault: `${shown} is not the record of a build; no pack is removed because of it` }
  }
}

/** Checked by hand: a schema library would take longer to load than the rest of a small build. */
function parseRecords(text: string): PackRecord[] {
  const file: unknown = JSON.parse(text)
  if (!isObject(file) || file['format'] !== FORMAT || !Array.isArray(file['packs'])) throw unknownFileError()
  if (file['packs'].length > MAX_RECORDS) throw unknownFileError()
  return file['packs'].map(parseRecord)
}

function parseRecord(record: unknown): PackRecord {
  if (!isObject(record)) throw unknownFileError()
  const { slug, source, inputs, digest } = record
  if (!isText(slug, /^[a-z0-9]+(?:-[a-z0-9]+)*$/, MAX_SLUG)) throw unknownFileError()
  if (!isText(source, /[^]/, 8192)) throw unknownFileError()
  if (!isText(inputs, /^[0-9a-f]{16}$/) || !isText(digest, /^[0-9a-f]{64}$/)) throw unknownFileError()
  return { slug, source, inputs, digest }
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null
}

function isText(value: unknown, pattern: RegExp, most = Infinity): value is string {
  return typeof value === 'string' && value.length <= most && pattern.test(value)
}

function unknownFileError(): Error {
  return new Error('it is not a file of this program')
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
