import { dirname } from 'node:path'
import { setImmediate } from 'node:timers/promises'
import { makeFolder } from '@packs/client/files'
import type { Pack } from '@packs/codec/pack'
import type { WrittenResult } from '../output/build-result.ts'
import { formatPath } from '../output/terminal.ts'
import { outputError, writeAtomic } from '../output/write-file.ts'
import type { Markup } from './markup.ts'
import { createReportModel } from './report-model.ts'
import { renderPack } from './render-pack.ts'
import { renderPage, type ReportedPack } from './render-page.ts'

/** The result of writing a report. */
export interface WrittenReport {
  /** Path as shown to the user, relative if that is short. */
  readonly file: string
  readonly status: 'written' | 'unchanged'
}

/** Most packs on a page. */
const MAX_PACKS = 300
/** Most elements on a page, shared by its packs; browsers stay responsive with this many. */
const MAX_ELEMENTS = 80_000
/** Longest HTML of a page in UTF-16 units, shared in the same way. */
const MAX_HTML_LENGTH = 8_000_000

/**
 * Writes an HTML page about a build, including packs that could not be written.
 *
 * @throws CliError `output_failed`
 */
export async function writeReport(
  results: readonly WrittenResult[],
  path: string,
  cwd: string,
): Promise<WrittenReport> {
  const page = await renderReport(results)
  try {
    makeFolder(dirname(path))
  } catch (error) {
    throw outputError(dirname(path), error as NodeJS.ErrnoException)
  }
  const status = writeAtomic(path, Buffer.from(page))
  return { file: formatPath(path, cwd), status }
}

/** Renders the HTML page of a build. */
export async function renderReport(results: readonly WrittenResult[]): Promise<string> {
  const shown = results.slice(0, MAX_PACKS)
  const tokens = shown.reduce((sum, { pack }) => sum + (pack?.uncompressed_estimate ?? 0), 0)
  const packs: ReportedPack[] = []
  for (const result of shown) {
    const isFailed = result.status === 'failed'
    const section = await renderSection(result, `p${packs.length}`, tokens)
    packs.push({ ...result, built: result.pack, isFailed, section })
    // Lets a pending signal end the program.
    await setImmediate()
  }
  return renderPage(packs, results.length - shown.length)
}

/** @param tokens tokens of all sources; a pack gets its share of the page in proportion */
async function renderSection(
  { pack: built, text, shown, messages }: WrittenResult,
  id: string,
  tokens: number,
): Promise<Markup | null> {
  if (built === null || text === null) return null
  const share = Math.max(built.uncompressed_estimate / Math.max(1, tokens), 1 / MAX_PACKS)
  const budget = { elements: Math.floor(share * MAX_ELEMENTS), units: Math.floor(share * MAX_HTML_LENGTH) }
  const model = await createReportModel(JSON.parse(text) as Pack)
  return renderPack({ model, built, shown, messages }, id, budget)
}
