import { appendFile, mkdir, rm, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { BenchDocument } from './documents.ts'
import { medianOf } from './measure.ts'
import { runNode, runPack, withFolder } from './program.ts'

/** How long `pack build` takes for a folder, beside a yardstick that was timed in turn with it. */
export interface BuildSpeed {
  readonly what: 'cold' | 'unchanged' | 'one edit'
  readonly files: number
  /** Bytes of all files. */
  readonly bytes: number
  readonly seconds: number
  readonly yardstick: string
  readonly yardstickSeconds: number
  /** Median over the rounds of the time of the build ÷ that of the yardstick. */
  readonly ratio: number
}

const FILES = 300
/** The usual page of a documentation site. */
const FILE_BYTES = 10_000
const ROUNDS = 3

const tokenize = fileURLToPath(new URL('./time-tokenize.ts', import.meta.url))

/** Builds a folder of 300 files cold, unchanged, and after the edit of one file, in processes as a user would start them. */
export async function measureBuildSpeed(
  documents: readonly BenchDocument[],
  onStep: () => void,
): Promise<BuildSpeed[]> {
  return withFolder((folder) => measureFolder(folder, cutPages(documents), onStep))
}

/** Number of calls of `onStep`. */
export const BUILD_STEPS: number = 3 * ROUNDS

async function measureFolder(
  folder: string,
  pages: readonly string[],
  onStep: () => void,
): Promise<BuildSpeed[]> {
  await writeFiles(folder, pages)
  const run = async (...args: string[]): Promise<number> => (await runPack(args, { cwd: folder })).seconds
  const cases = [
    {
      what: 'cold',
      yardstick: 'tokenise all files once',
      prepare: () => rm(join(folder, 'node_modules/.cache'), { recursive: true, force: true }),
      build: () => run('build', 'docs'),
      compare: async () => (await runNode([tokenize, join(folder, 'docs')])).seconds,
    },
    {
      what: 'unchanged',
      yardstick: 'pack --version',
      prepare: () => Promise.resolve(),
      build: () => run('build', 'docs'),
      compare: () => run('--version'),
    },
    {
      what: 'one edit',
      yardstick: 'build that file alone',
      prepare: () => appendFile(join(folder, 'docs/part-0/page-0.md'), '\nOne more sentence.\n'),
      build: () => run('build', 'docs'),
      compare: () => run('build', 'docs/part-0/page-0.md', '-o', 'alone', '--no-cache'),
    },
  ] as const
  const bytes = pages.reduce((sum, page) => sum + Buffer.byteLength(page), 0)
  const results: BuildSpeed[] = []
  for (const { what, yardstick, prepare, build, compare } of cases) {
    const rounds = []
    for (let round = 0; round < ROUNDS; round++) {
      await prepare()
      rounds.push({ build: await build(), compare: await compare() })
      onStep()
    }
    results.push({
      what,
      files: pages.length,
      bytes,
      seconds: medianOf(rounds.map((round) => round.build)),
      yardstick,
      yardstickSeconds: medianOf(rounds.map((round) => round.compare)),
      ratio: medianOf(rounds.map((round) => round.build / round.compare)),
    })
  }
  return results
}

/** Cuts documents in turn into pages at line ends, until there are enough; short documents are used again. */
function cutPages(documents: readonly BenchDocument[]): string[] {
  const pages: string[] = []
  for (let turn = 0; pages.length < FILES; turn++) {
    for (const { text } of documents) {
      const starts = Math.max(1, Math.ceil(text.length / FILE_BYTES))
      const from = (turn % starts) * FILE_BYTES
      const page = text.slice(findLine(text, from), findLine(text, from + FILE_BYTES))
      // The number keeps pages apart that are cut from the same place.
      if (pages.length < FILES) pages.push(`# Page ${pages.length}\n\n${page.replace(/^---$/gm, '***')}\n`)
    }
  }
  return pages
}

function findLine(text: string, at: number): number {
  if (at <= 0 || at >= text.length) return Math.min(Math.max(at, 0), text.length)
  return text.lastIndexOf('\n', at) + 1
}

async function writeFiles(folder: string, pages: readonly string[]): Promise<void> {
  await mkdir(join(folder, 'node_modules'))
  await writeFile(join(folder, 'package.json'), '{}')
  for (const [at, page] of pages.entries()) {
    const path = join(folder, 'docs', `part-${Math.floor(at / 30)}`, `page-${at}.md`)
    await mkdir(dirname(path), { recursive: true })
    await writeFile(path, page)
  }
}
