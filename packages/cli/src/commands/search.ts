import type { Docs } from '@packs/client'
import type { Command } from 'commander'
import { addInputs, INPUTS_HELP, openInputs } from '../docs/open-inputs.ts'
import { checkQuery, parseCount } from '../input/options.ts'
import { withActivity } from '../output/progress.ts'
import { explain } from '../lock/pinned-packs.ts'
import {
  escapeControls,
  formatCount,
  measureText,
  readColumns,
  styleResult,
  writeJson,
  writeLine,
  writeNote,
  writeWrapped,
} from '../output/terminal.ts'

const HELP = `
The query is words, a question, an identifier or a "phrase" in quotation marks; nothing in it is an operator. Words that no pack has are corrected. Finds sections, or packs as a whole, best first, with the tokens of their text; "pack context" prints the text. A damaged pack is named and skipped. The packs come from one of these:${INPUTS_HELP}

Examples:
  $ pack search "why does a certificate chain fail" docs/`

export function configure(command: Command): void {
  addInputs(command.argument('<query>', 'what to find; several words in quotes'))
    .option('--limit <n>', 'maximum number of sections', parseCount, 10)
    .addHelpText('after', HELP)
}

export async function run(command: Command): Promise<void> {
  const { limit, json } = command.opts<{ limit: number; json?: boolean }>()
  const [query = '', ...inputs] = command.args
  await checkQuery(query)
  const docs = await openInputs(command, inputs, query)
  const search = (): ReturnType<Docs['search']> => explain(undefined, () => docs.search(query, { limit }))
  const { sections, corrected, stale } = await withActivity('searching', json, search)
  if (json) {
    const list = sections.map(({ digest: pack_digest, ...section }) => ({ ...section, pack_digest }))
    return writeJson({ ok: true, sections: list, corrected, ...(stale && { stale }) })
  }
  if (stale) writeNote('The catalog cannot be reached: this is its last answer to the query')
  if (corrected !== null) writeNote(`Showing results for "${show(corrected)}"`)
  const width = String(sections.length).length
  const words = (corrected ?? query).toLowerCase().match(/[\p{L}\p{N}]{3,}/gu) ?? []
  for (const [index, section] of sections.entries())
    showSection(section, String(index + 1).padStart(width), words)
  if (sections.length > 0) return
  const { lock, url = process.env['PACK_URL'] } = command.opts<{ lock?: string; url?: string }>()
  writeWrapped(`No results for "${show(query)}" in ${inputs.join(', ') || lock || url || 'dist'}`)
  writeWrapped(
    'hint: use fewer words, or words that the text itself would use; quotation marks demand a phrase',
  )
}

type Found = Awaited<ReturnType<Docs['search']>>['sections'][number]

/** Marks the words of a query; the ends of words are not compared. */
function markWords(text: string, words: readonly string[]): string {
  const stems = words.map((word) => word.slice(0, Math.max(3, word.length - 2)))
  const isFound = (word: string): boolean => stems.some((stem) => word.toLowerCase().startsWith(stem))
  return text.replace(/[\p{L}\p{N}]{3,}/gu, (word) => (isFound(word) ? styleResult('yellow', word) : word))
}

/** A snippet without bars of tables and comments; `…` is where it is cut. */
function cleanSnippet(snippet: string): string {
  const text = show(snippet.replace(/<!--[^]*?(?:-->|$)/g, ' ').replace(/\|[-: |]*/g, ' '))
  return `${/^\p{Ll}/u.test(text) ? '… ' : ''}${text}${/[\p{L}\p{N},]$/u.test(text) ? ' …' : ''}`
}

function showSection(found: Found, rank: string, words: readonly string[]): void {
  const { pack, section, path, tokens, snippet, locked } = found
  const indent = ' '.repeat(rank.length + 2)
  const name = section === null ? pack : `${pack}#${section}`
  const details = [name, `${formatCount(tokens)} tokens`, ...(locked ? ['locked'] : [])].map(show)
  if (rank.trim() !== '1') writeLine('')
  const heading = `${rank}  ${styleResult('bold', path.map(show).join(' › '))}`
  const place = styleResult('dim', details.join('  '))
  const isWide = measureText(`${heading}  ${place}`) > readColumns()
  for (const line of isWide ? [heading, indent + place] : [`${heading}  ${place}`]) writeLine(line, indent)
  if (snippet !== null) writeLine(indent + markWords(cleanSnippet(snippet), words), indent)
}

function show(text: string): string {
  return escapeControls(text.replace(/\s+/g, ' ').trim())
}
