import { createHash } from 'node:crypto'
import type { Pack } from '@packs/codec/pack'
import { CliError } from '../cli-error.ts'
import { decodeText } from './decode-text.ts'
import type { FoundFile } from './find-files.ts'
import { MAX_PACK_BYTES, MAX_SOURCE_BYTES, readBounded } from './read-bounded.ts'
import { startProgress } from '../output/progress.ts'
import { describeError, type Problem } from '../output/report-error.ts'

/** A pack file with its decoded text. */
export interface OpenedPack {
  /** Name of the file in messages. */
  readonly shown: string
  readonly pack: Pack
  readonly body: string
}

/** A file that is not searched. */
export interface SkippedFile {
  readonly file: string
  readonly problem: Problem
}

/** The packs to search. */
export interface OpenedPacks {
  readonly packs: readonly OpenedPack[]
  readonly skipped: readonly SkippedFile[]
}

/** Reads and decodes packs. Those that are damaged are skipped. */
export async function openPacks(files: readonly FoundFile[], isQuiet: boolean): Promise<OpenedPacks> {
  const packs: OpenedPack[] = []
  const skipped: SkippedFile[] = []
  const progress = startProgress('reading', files.length, isQuiet)
  try {
    for (const { path, shown } of files) {
      try {
        packs.push(await openPack(path, shown))
      } catch (error) {
        const problem = describeError(error)
        if (problem.code === 'internal') throw error
        skipped.push({ file: shown, problem })
      }
      progress.advance()
    }
  } finally {
    progress.stop()
  }
  return { packs, skipped }
}

/** Compares the text with its digest, but not the whole document with `pack_digest`, which takes as long as all else. */
async function openPack(path: string, shown: string): Promise<OpenedPack> {
  const { parsePack, PackError } = await import('@packs/codec/pack')
  const bytes = await readBounded(path, MAX_PACK_BYTES, shown)
  try {
    const pack = parsePack(bytes)
    const body = decodeText(pack, shown, MAX_SOURCE_BYTES)
    if (createHash('sha256').update(body).digest('hex') === pack.sha256) return { shown, pack, body }
  } catch (error) {
    if (!(error instanceof PackError)) throw error
    throw new CliError('invalid_pack', `${shown}: ${error.message}`, error.hint, {
      file: shown,
      cause: error,
    })
  }
  throw new CliError(
    'digest_mismatch',
    `${shown} decodes to a text that does not match its sha256`,
    'the pack was changed or damaged; get it again',
    { file: shown },
  )
}
