import { existsSync } from 'node:fs'
import { basename, dirname, join, sep } from 'node:path'
import { findRegularFile } from '../safe-files.ts'
import { type FrontMatter, loadCascade, loadPageState } from '@packs/codec/internal'
import { MAX_SOURCE_BYTES } from '../inputs/read-bounded.ts'
import { runGit } from '../inputs/run-git.ts'
import { loadPicomatch } from '../inputs/search-bounds.ts'
import type { FoundFile, SkippedFile } from '../inputs/find-files.ts'
import { type Diagnostic, errorDiagnostic } from '../diagnostic.ts'

/**
 * Creates a function that returns why readers of the site do not see a page, and adds messages
 * about what is not plain to see.
 *
 * @param now the time by which dates of pages are judged, if not that of the commit or the clock
 */
export function createJudge(
  now: Date | undefined,
  messages: Diagnostic[],
): (file: FoundFile, data: Uint8Array) => Promise<SkippedFile['kind'] | undefined> {
  let clock: Promise<readonly [Date, string]> | undefined
  const inherit = createInheritance()
  return async (file, data) => {
    const { path, shown, site } = file
    if (site?.isExcluded) return 'unlisted page'
    const inherited = await inherit(file)
    const state = await loadPageState(data.toString(), inherited, site?.isDated)
    const { kind, isUnread, from = -Infinity, until = Infinity } = state
    if (isUnread) {
      const reason = 'The block at the top says draft: true but is not front matter; the page is skipped'
      const hint = 'write such keys between two lines ---, or remove draft from a page that is to be built'
      messages.push(errorDiagnostic(shown, 'unread-draft', reason, hint, 'warning'))
    }
    if (kind !== undefined || (from === -Infinity && until === Infinity)) return kind
    const [time, name] = await (clock ??= findTime(now, dirname(path)))
    if (from <= time.getTime() && time.getTime() <= until) return undefined
    const reason = `skipped a page by its dates, as of ${time.toISOString()}, ${name}`
    messages.push(errorDiagnostic(shown, 'page-dates', reason, '--now sets the time', 'info'))
    return 'unlisted page'
  }
}

/**
 * Creates a function that returns the front matter that a page has from elsewhere, the nearest
 * last: the date in the name of a post of Jekyll, what `_index.md` of Hugo's folders gives the
 * pages below, and what `index.md` says of the files of its bundle.
 */
function createInheritance(): (file: FoundFile) => Promise<readonly FrontMatter[]> {
  const indexes = new Map<string, Promise<readonly FrontMatter[]>>()
  const read = async (index: string, isBundle: boolean): Promise<readonly FrontMatter[]> => {
    const file = existsSync(index) ? findRegularFile(index, MAX_SOURCE_BYTES) : undefined
    return file === undefined ? [] : loadCascade(file.data.toString(), isBundle)
  }
  return async ({ path, slugPath = '', site }) => {
    const date = path.split(sep).includes('_posts') && /^\d{4}-\d\d-\d\d(?=-)/.exec(basename(path))?.[0]
    const inherited: FrontMatter[] = date ? [{ date }] : []
    const names = slugPath.split('/').slice(0, -1)
    const root = path.slice(0, path.length - slugPath.length)
    const isHugo = site?.dialects.includes('hugo') === true
    for (let depth = 0; depth <= names.length; depth++)
      for (const name of isHugo ? ['_index.md', 'index.md'] : ['_index.md']) {
        const index = join(root, ...names.slice(0, depth), name)
        if (index === path) continue
        if (!indexes.has(index)) indexes.set(index, read(index, name === 'index.md'))
        inherited.push(
          ...(await indexes.get(index)!).filter((values) =>
            isTarget(values['target'] ?? values['_target'], path),
          ),
        )
      }
    return inherited
  }
}

/** Whether a page is one that Hugo's front matter for pages below is for. */
function isTarget(target: unknown, path: string): boolean {
  const isMatch = (text: string, glob: unknown): boolean =>
    loadPicomatch().isMatch(text, String(glob), { nocase: true })
  const page = path.replaceAll('\\', '/').replace(/^.*\/content(?=\/)/, '')
  const kind = page.includes('/_index.') ? 'section' : 'page'
  const plain = page.slice(0, page.lastIndexOf('.')).replace(/\/_?index$/, '')
  // The folder of a language is not in the path.
  const names = [plain, plain.replace(/^\/[a-z]{2}(?:-[a-z]{2,4})?(?=\/)/i, '')]
  return Object.entries((target as FrontMatter | null) ?? {}).every(([key, glob]) => {
    if (key === 'path') return names.some((name) => isMatch(name, glob))
    return key === 'kind' ? isMatch(kind, glob) : key !== 'environment' || isMatch('production', glob)
  })
}

/** The time by which dates of pages are judged, and its name. */
async function findTime(now: Date | undefined, folder: string): Promise<readonly [Date, string]> {
  if (now !== undefined) return [now, 'the time of --now']
  const commit = await runGit(folder, ['cat-file', 'commit', 'HEAD'], MAX_SOURCE_BYTES).catch(() => '')
  const [, seconds] = /^committer .*> (\d{1,12}) [+-]\d{4}$/m.exec(commit.toString()) ?? []
  if (seconds !== undefined) return [new Date(Number(seconds) * 1000), 'the time of the commit']
  return [new Date(), 'the clock of the build']
}
