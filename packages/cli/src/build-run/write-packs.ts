import { join, basename, dirname, relative, resolve, sep } from 'node:path'
import { CliError } from '../cli-error.ts'
import type { BuildResult, WrittenResult } from '../output/build-result.ts'
import {
  type Diagnostic,
  errorDiagnostic,
  findRegularFile,
  formatPath,
  type FoundFiles,
  MAX_PACK_BYTES,
  readRegularFile,
} from '@packs/files'
import { diagnoseError, describeError } from '../output/report-error.ts'
import { writeText } from '../output/terminal.ts'
import { makeOutputFolder, outputError, writeGenerated, type OverwriteGuard } from '../output/write-file.ts'
import { hash } from 'node:crypto'
import { lstatSync, realpathSync, rmSync } from 'node:fs'
import { fieldLimits } from '@packs/codec/internal'

export interface WriteTarget {
  /** Absolute path of the folder for the packs, or `-` for stdout. */
  readonly folder: string
  readonly cwd: string
  /** Absolute paths and patterns of the inputs. */
  readonly inputs: readonly string[]
  readonly isDryRun: boolean
}

/**
 * Creates a function that writes the pack of an error-free result. Once the folder itself cannot be
 * written to, it does not try again, and the other results get the same error.
 */
export function createPackWriter(
  target: WriteTarget,
  guard: OverwriteGuard,
): (result: BuildResult) => WrittenResult {
  let folderError: Diagnostic | undefined
  return (result) => {
    if (!isWritable(result)) return { ...result, file: null, status: 'failed' }
    if (folderError !== undefined) return failToWrite(result, folderError)
    try {
      return writePack(result, target, guard)
    } catch (error) {
      if (isFolderError(error)) {
        const shown = formatPath(target.folder, target.cwd)
        folderError = diagnoseError(outputError(shown, error.cause as NodeJS.ErrnoException), shown)
        return failToWrite(result, folderError)
      }
      return failToWrite(result, diagnoseError(error, result.shown))
    }
  }
}

function failToWrite(result: BuildResult, error: Diagnostic): WrittenResult {
  return { ...result, messages: [...result.messages, error], file: null, status: 'failed' }
}

/** Errors that every other file of the folder would meet too. */
const FOLDER_ERRORS: ReadonlySet<string | undefined> = new Set(['EROFS', 'ENOSPC', 'EDQUOT'])

function isFolderError(error: unknown): error is CliError {
  if (!(error instanceof CliError) || error.code !== 'output_failed') return false
  const { code, syscall, path = '' } = error.cause as NodeJS.ErrnoException
  const cannotCreate = syscall === 'open' && path.endsWith('.tmp') && (code === 'EACCES' || code === 'EPERM')
  return cannotCreate || syscall === 'mkdir' || syscall === 'lstat' || FOLDER_ERRORS.has(code)
}

function writePack(result: BuildResult, target: WriteTarget, guard: OverwriteGuard): WrittenResult {
  const { folder, cwd, isDryRun } = target
  if (isDryRun) return { ...result, file: null, status: 'dry-run' }
  if (folder === '-') {
    writeText(result.text ?? '')
    return { ...result, file: null, status: 'written' }
  }
  const path = join(folder, `${result.pack!.slug}.pack.json`)
  const file = formatPath(path, cwd)
  makeOutputFolder(folder)
  guard(path, file)
  return { ...result, file, status: writeGenerated(path, Buffer.from(result.text ?? ''), file) }
}

type SlugUse = Pick<BuildResult, 'path' | 'shown' | 'slugPosition'>

export type SlugUses = ReadonlyMap<string, readonly SlugUse[]>

/** Groups results by slug. A result that is not built yet counts too if its slug is known. */
export function groupBySlug(results: readonly BuildResult[]): SlugUses {
  const known = results.filter(({ pack, slug }) => slug !== undefined || pack !== null)
  return Map.groupBy(known, ({ pack, slug }) => slug ?? pack!.slug)
}

export function validateResults(
  results: readonly BuildResult[],
  minSavings: number | undefined,
): BuildResult[] {
  const uses = groupBySlug(results)
  return results.map((result) => validateResult(result, uses, minSavings))
}

/** Adds the errors of one result that need the slugs of all sources or the options of the run. */
export function validateResult(
  result: BuildResult,
  uses: SlugUses,
  minSavings: number | undefined,
): BuildResult {
  if (!result.pack) return result
  const messages = [...result.messages]
  const others = (uses.get(result.pack.slug) ?? []).filter(({ path }) => path !== result.path)
  if (others.length > 0) messages.push(duplicateSlugError(result, others))
  if (minSavings !== undefined && result.pack.net_savings_pct < minSavings) {
    messages.push(lowSavingsError(result.shown, result.pack.net_savings_pct, minSavings))
  }
  return { ...result, messages }
}

export function isWritable({ pack, messages }: BuildResult): boolean {
  return pack !== null && messages.every(({ severity }) => severity !== 'error')
}

function duplicateSlugError(
  { shown, pack, slugPosition }: BuildResult,
  others: readonly SlugUse[],
): Diagnostic {
  const positions = others.map(({ shown: other, slugPosition: at }) =>
    at ? `${other}:${at.line}:${at.column}` : other,
  )
  const error = errorDiagnostic(
    shown,
    'duplicate_slug',
    `slug "${pack!.slug}" is also used by ${positions.join(', ')}`,
    'set another slug in the front matter of one of them, or name one in "ignore" of the configuration',
  )
  return { ...error, line: slugPosition?.line ?? null, column: slugPosition?.column ?? null }
}

function lowSavingsError(shown: string, savings: number, minimum: number): Diagnostic {
  return errorDiagnostic(
    shown,
    'low_savings',
    `net savings of ${savings.toFixed(2)} % are below the ${minimum} % of "minSavings"`,
    'use a denser scheme, join small documents, or lower "minSavings" of the configuration',
  )
}

/** A pack of an earlier build whose source is gone. */
export interface GonePack {
  readonly slug: string
  readonly file: string
  /** `changed`: it is not what the build wrote, so it is kept. */
  readonly status: 'left' | 'removed' | 'changed'
}

/** A pack that a build of other inputs wrote, and whose source still exists. */
interface OtherPack {
  readonly slug: string
  readonly file: string
  /** Path of its source as messages show it. */
  readonly source: string
  /** Slug that this build gives to the same source; null if it does not build it. */
  readonly now: string | null
}

export interface RecordUpdate {
  readonly gone: readonly GonePack[]
  readonly others: readonly OtherPack[]
  /** Faults of the record itself. */
  readonly faults: readonly string[]
}

/**
 * Records the packs of a build in its output folder, and finds or removes those without a source.
 *
 * The source of a pack is gone if its file does not exist. If the pack is from a build of the same
 * inputs, its source is also gone if these inputs no longer match it, or give it another slug. Only
 * recorded packs with the recorded bytes are removed.
 */
export function updateRecords(
  target: WriteTarget,
  found: FoundFiles,
  results: readonly BuildResult[],
  isCleaning: boolean,
): RecordUpdate {
  const { cwd, isDryRun } = target
  const folder = target.folder === '-' ? undefined : resolveFolder(target.folder)
  if (folder === undefined) return { gone: [], others: [], faults: [] }
  const { records, fault } = readRecords(folder, cwd)
  const resolveSource = createResolver()
  const paths = new Set(found.files.map(({ path }) => resolveSource(path)))
  const inputs = digestInputs(target.inputs, folder)
  const built = recordResults(results, folder, inputs, resolveSource)
  const slugs = new Map(Array.from(built.values(), ({ slug, source }) => [source, slug]))
  const isGone = createGoneTest(built, { paths, isComplete: found.failures.length === 0 }, folder)
  const gone: GonePack[] = []
  const others: OtherPack[] = []
  const kept: PackRecord[] = []
  for (const record of records) {
    const { slug } = record
    if (built.has(slug)) continue
    const path = join(folder, `${slug}.pack.json`)
    if (lstatSync(path, { throwIfNoEntry: false }) === undefined) continue
    const file = formatPath(join(target.folder, `${slug}.pack.json`), cwd)
    if (!isGone(record)) {
      kept.push(record)
      const source = formatPath(resolve(folder, record.source), cwd)
      if (record.inputs !== inputs) others.push({ slug, file, source, now: slugs.get(record.source) ?? null })
      continue
    }
    const status = !hasDigest(path, record.digest) ? 'changed' : isCleaning ? 'removed' : 'left'
    if (status === 'removed' && !isDryRun) rmSync(path, { force: true })
    else kept.push(record)
    gone.push({ slug, file, status })
  }
  const all = [...kept, ...built.values()]
  const unwritten =
    isDryRun || (all.length === 0 && records.length === 0) ? undefined : writeRecords(folder, all, cwd)
  return { gone, others, faults: [fault, unwritten].filter((text) => text !== undefined) }
}

/** Returns a function that resolves links in the folder of a path, but not the path itself. */
function createResolver(): (path: string) => string {
  const folders = new Map<string, string>()
  return (path) => {
    const folder = dirname(path)
    let real = folders.get(folder)
    if (real === undefined) folders.set(folder, (real = resolveFolder(folder) ?? folder))
    return join(real, basename(path))
  }
}

/** The folder may be a link. It is missing if nothing was written. */
function resolveFolder(folder: string): string | undefined {
  try {
    return realpathSync(folder)
  } catch {
    return undefined
  }
}

/** Records what has been written. A source on stdin has no file that could disappear. */
function recordResults(
  results: readonly BuildResult[],
  folder: string,
  inputs: string,
  resolveSource: (path: string) => string,
): Map<string, PackRecord> {
  const built = new Map<string, PackRecord>()
  for (const result of results) {
    if (!isWritable(result) || result.path === '-') continue
    const { slug } = result.pack!
    const source = relative(folder, resolveSource(result.path)).split(sep).join('/')
    built.set(slug, { slug, source, inputs, digest: hash('sha256', result.text ?? '') })
  }
  return built
}

function createGoneTest(
  built: ReadonlyMap<string, PackRecord>,
  { paths, isComplete }: { readonly paths: ReadonlySet<string>; readonly isComplete: boolean },
  folder: string,
): (record: PackRecord) => boolean {
  const [{ inputs } = { inputs: undefined }] = built.values()
  const sources = new Set(Array.from(built.values(), ({ source }) => source))
  return (record) => {
    const path = resolve(folder, record.source)
    if (isMissing(path)) return true
    // If a folder could not be read, its files may still exist.
    if (record.inputs !== inputs || !isComplete) return false
    // A source with an error may get its slug again.
    return !paths.has(path) || sources.has(record.source)
  }
}

function isMissing(path: string): boolean {
  try {
    lstatSync(path)
    return false
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    return code === 'ENOENT' || code === 'ENOTDIR'
  }
}

function hasDigest(path: string, digest: string): boolean {
  const found = findRegularFile(path, MAX_PACK_BYTES, true)
  return found !== undefined && hash('sha256', found.data) === digest
}

/** Digests inputs relative to the output folder, so that a project can be moved. */
function digestInputs(inputs: readonly string[], folder: string): string {
  const paths = inputs.map((input) => relative(folder, input).split(sep).join('/'))
  return hash('sha256', JSON.stringify(paths.toSorted())).slice(0, 16)
}

/** Name of the file in an output folder that records what builds wrote there. */
const RECORDS_FILE = '.packs.json'
/** Changes with the format of the file. */
const FORMAT = 'packs-build/1'
const MAX_RECORDS = 100_000
const MAX_BYTES = 64 * 1024 * 1024

interface PackRecord {
  readonly slug: string
  /** Path of the source, relative to the output folder, with `/`. */
  readonly source: string
  /** Digest of the inputs that found the source. */
  readonly inputs: string
  readonly digest: string
}

/** Returns none from a file that this program did not write. */
export function readRecords(
  folder: string,
  cwd: string,
): { readonly records: readonly PackRecord[]; readonly fault?: string } {
  const path = join(folder, RECORDS_FILE)
  try {
    return { records: parseRecords(readRegularFile(path, MAX_BYTES, true).data.toString()) }
  } catch (error) {
    const { code, syscall } = error as NodeJS.ErrnoException
    if (code === 'ENOENT') return { records: [] }
    const problem = syscall === undefined ? 'is not the record of a build' : `cannot be read (${code})`
    return { records: [], fault: `${formatPath(path, cwd)} ${problem}, so no pack is removed` }
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
  if (!isText(slug, /^[a-z0-9]+(?:-[a-z0-9]+)*$/, fieldLimits.slug)) throw unknownFileError()
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

function writeRecords(folder: string, records: readonly PackRecord[], cwd: string): string | undefined {
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
