import { existsSync, lstatSync } from 'node:fs'
import { basename, resolve } from 'node:path'
import type { Pack } from '@packs/codec/pack'
import { readRecords } from '../build-run/pack-records.ts'
import { CliError, fileError } from '../cli-error.ts'
import { readBounded } from '../input/read-bounded.ts'
import type { Diagnostic } from '../output/diagnostic.ts'
import { formatPath } from '../output/terminal.ts'
import { writeAtomic, writeGenerated } from '../output/write-file.ts'
import { parseBaseline, serializeBaseline, type Baseline, type BaselinePack } from './baseline-file.ts'
import { compareBaseline, type MeasuredPack } from './compare-baseline.ts'
import { formatComparison, formatMarkdown, describeComparison, diagnoseChanges } from './report-baseline.ts'

/** Largest baseline in bytes: more than 25,000 packs. */
const MAX_BASELINE_BYTES = 8 * 1024 * 1024

/** Default file name of the baseline. */
export const BASELINE_NAME = 'packs.baseline.json'

export interface BaselineRequest {
  readonly path: string
  readonly shown: string
  /** Percentage by which content and header of a pack may grow; 0 allows no growth at all. */
  readonly tolerance: number
  readonly isUpdate: boolean
  /** Whether packs pass that are not in the baseline. */
  readonly isNewAllowed: boolean
  /**
   * Absolute paths of the folders that hold the packs. Builds record there the source of each pack.
   */
  readonly folders: readonly string[]
  /** File for the comparison as markdown; `-` for stdout. */
  readonly summary: string | undefined
}

export interface CheckedPack {
  readonly file: string
  readonly ok: boolean
  /** Absent if the file is not a pack, or is not compared. */
  readonly pack?: BaselinePack | undefined
}

export interface BaselineOutcome {
  readonly isOk: boolean
  /** What to print on stdout. */
  readonly text: string
  /** What to print on stderr about the baseline. */
  readonly note?: string
  readonly diagnostics: readonly Diagnostic[]
  /** The value of `baseline` in the document of `--json`. */
  readonly document: unknown
}

export function measurePack(pack: Pack): BaselinePack {
  return {
    slug: pack.slug,
    source: pack.uncompressed_estimate,
    content: pack.token_count,
    header: pack.rosetta_tokens,
    net_savings_pct: pack.net_savings_pct,
    tokenizer: pack.tokenizer,
    scheme: pack.compression,
    digest: pack.pack_digest,
  }
}

/**
 * Reads a baseline. If it is about to be written, a missing file counts as an empty baseline.
 *
 * @throws CliError `invalid_baseline`, `file_not_found`, `file_too_large`, `not_a_file`,
 *   `file_unreadable`, `linked_output`
 */
export async function readBaseline({ path, shown, isUpdate }: BaselineRequest): Promise<Baseline> {
  const stats = lstatSync(path, { throwIfNoEntry: false })
  if (stats === undefined && isUpdate) return new Map()
  if (stats?.isSymbolicLink() && isUpdate) {
    const hint = 'name the file that the link points to'
    throw fileError('linked_output', shown, 'is a symbolic link', hint)
  }
  try {
    const bytes = await readBounded(path, MAX_BASELINE_BYTES, shown)
    return parseBaseline(new TextDecoder().decode(bytes), shown)
  } catch (error) {
    throw error instanceof CliError ? adviseOn(error, shown) : error
  }
}

/** The hints of reading any file do not fit a baseline. */
function adviseOn(error: CliError, shown: string): CliError {
  const hint = HINTS.get(error.code)
  return hint === undefined
    ? error
    : new CliError(error.code, error.message, hint, { file: shown, cause: error })
}

const HINTS: ReadonlyMap<string, string> = new Map([
  ['file_not_found', 'run the command again with --update to create it, or check the name'],
  ['file_too_large', 'name a baseline that `pack check --update` wrote'],
  [
    'not_a_file',
    'name the baseline after --baseline, and then the packs: --baseline packs.baseline.json dist',
  ],
])

/**
 * Compares packs with a baseline, and writes the baseline and the summary where asked for.
 *
 * @throws CliError `duplicate_slug`, `linked_output`, `output_failed`, `file_too_large`
 */
export function applyBaseline(
  baseline: Baseline,
  request: BaselineRequest,
  checked: readonly CheckedPack[],
): BaselineOutcome {
  const { shown, tolerance, isUpdate, summary } = request
  const packs = checked.flatMap(({ file, pack }) => (pack === undefined ? [] : [{ ...pack, file }]))
  rejectDuplicates(packs)
  const unread = checked
    .filter(({ pack }) => pack === undefined)
    .map(({ file }) => basename(file, '.pack.json'))
  const comparison = compareBaseline(baseline, packs, tolerance, request.isNewAllowed, new Set(unread))
  const isSound = checked.every(({ ok }) => ok)
  const status = isUpdate && isSound ? writeBaseline(request, packs) : null
  const terms = { shown, tolerance, findSource: createSourceFinder(request.folders) }
  if (summary !== undefined && summary !== '-')
    writeAtomic(resolve(summary), Buffer.from(formatMarkdown(comparison, terms)))
  const diagnostics = isUpdate ? [] : diagnoseChanges(comparison, terms)
  return {
    isOk: diagnostics.length === 0,
    text:
      summary === '-'
        ? formatMarkdown(comparison, terms)
        : `${formatComparison(comparison, shown).join('\n')}\n`,
    ...(isUpdate && { note: noteUpdate(status, shown) }),
    diagnostics,
    document: { file: shown, tolerance, update: status, ...describeComparison(comparison) },
  }
}

/**
 * Returns a function that finds the source of a pack, if a build recorded it and the source still
 * exists.
 */
function createSourceFinder(folders: readonly string[]): (slug: string) => string | undefined {
  let sources: ReadonlyMap<string, string> | undefined
  return (slug) => {
    sources ??= new Map(
      folders.flatMap((folder) =>
        readRecords(folder, process.cwd()).records.map(({ slug: name, source }) => [
          name,
          resolve(folder, source),
        ]),
      ),
    )
    const path = sources.get(slug)
    return path === undefined || !existsSync(path) ? undefined : formatPath(path, process.cwd())
  }
}

function rejectDuplicates(packs: readonly MeasuredPack[]): void {
  const files = new Map<string, string>()
  for (const { slug, file } of packs) {
    const other = files.get(slug)
    files.set(slug, file)
    if (other === undefined) continue
    const message = `${other} and ${file} have the same slug, ${slug}`
    const hint = 'name one of them, or remove the one that is out of date'
    throw new CliError('duplicate_slug', message, hint, { file })
  }
}

function writeBaseline(
  { path, shown }: BaselineRequest,
  packs: readonly MeasuredPack[],
): 'written' | 'unchanged' {
  const bytes = Buffer.from(serializeBaseline(packs))
  if (bytes.length > MAX_BASELINE_BYTES) {
    const message = `a baseline of ${packs.length} packs is larger than 8 MiB`
    throw new CliError('file_too_large', message, 'write a baseline for each part of the packs')
  }
  return writeGenerated(path, bytes, shown)
}

function noteUpdate(status: 'written' | 'unchanged' | null, shown: string): string {
  if (status === null) return `${shown} was not written, because a pack failed its checks`
  return status === 'written' ? `wrote ${shown}` : `${shown} is unchanged`
}
