import type { Tokenizer } from '../tokens/get-tokenizer.ts'
import { Draft } from './draft.ts'
import { EditedText, type Group } from './edited-text.ts'
import { findDifferences } from './find-differences.ts'
import { proposeComments } from './rules/comments.ts'
import { proposeBlank, proposeTables } from './rules/lines.ts'
import { SENTENCE_TOKENS, proposeLinks } from './rules/links.ts'
import { proposeContents, proposeEntities, proposeIds, proposeImports } from './rules/page.ts'
import { proposeTags } from './rules/tags.ts'
import { proposeWraps } from './rules/wraps.ts'
import { fitsDocument, DIALECTS, MINIFY_RULES, type Minified, type MinifyOptions } from './types.ts'
import { restoreText } from './restore-text.ts'
import { scanDialect } from './scan-dialect.ts'

/** How often edits that the comparison rejects are withdrawn before the text stays as it is. */
const MOST_ROUNDS = 3

/**
 * Leaves out of a markdown text what no reader of a prompt needs (SPEC.md, minify). Pure, and
 * linear in time for every string.
 *
 * Every result is verified: its lines have the roles, and its inlines the places, that they have in
 * the source. Edits that would change them are withdrawn.
 * @param tokenizer Counts the edits: one that saves no token is not made.
 */
export function minify(body: string, options: MinifyOptions, tokenizer: Tokenizer): Minified {
  const unchanged: Minified = { text: body, links: [], patch: [], withdrawn: 0, saved: {} }
  if (!body.isWellFormed() || /^\uFEFF?---[ \t]*(?:[\n\r]|$)/.test(body)) return unchanged
  const dialects = new Set(options.dialect)
  const draft = new Draft(scanDialect(body, dialects), options, tokenizer)
  proposeImports(draft)
  proposeComments(draft)
  proposeContents(draft)
  proposeTags(draft)
  proposeLinks(draft)
  proposeIds(draft)
  draft.settle(chooseLinks(draft, draft.groups))
  proposeEntities(draft)
  proposeTables(draft)
  proposeWraps(draft)
  proposeBlank(draft)
  let groups = chooseLinks(draft, draft.groups)
  let withdrawn = 0
  for (let round = 0; round <= MOST_ROUNDS && groups.length > 0; round++) {
    const edited = new EditedText(body, groups)
    const wrong = findDifferences(draft, edited, scanDialect(edited.text, dialects))
    if (wrong.size === 0) {
      const saved: Record<string, number> = {}
      for (const group of groups) saved[group.rule] = (saved[group.rule] ?? 0) + group.saved
      return { text: edited.text, links: edited.links, patch: edited.makePatch(), withdrawn, saved }
    }
    const kept = withdraw(draft, groups, wrong)
    withdrawn += groups.length - kept.length
    groups = chooseLinks(draft, kept)
  }
  return { ...unchanged, withdrawn }
}

/** Keeps numbers that save more than their sentence costs, if each numeric address has one. */
function chooseLinks(draft: Draft, groups: readonly Group[]): Group[] {
  const paying = groups.filter(
    ({ saved, edits }) => saved > 0 || edits.some(({ address = '' }) => /^\d+$/.test(address)),
  )
  const numbered = paying.filter(({ edits }) => edits.some(({ address }) => address !== undefined))
  const saved = numbered.reduce((sum, group) => sum + group.saved, 0)
  const isClear = saved > SENTENCE_TOKENS && hasAllDigits(draft, numbered)
  return isClear ? paying : paying.filter((group) => !numbered.includes(group))
}

/** Whether each link whose address is a number is among the numbered ones. */
function hasAllDigits(draft: Draft, numbered: readonly Group[]): boolean {
  const places = new Set(numbered.flatMap(({ edits }) => edits.map(({ end }) => end)))
  return draft.blocks.every(({ inlines }) =>
    inlines.every(({ kind, form, from, to, end }) => {
      if ((kind !== 'link' && kind !== 'image') || form !== 'inline') return true
      return !/^<?\d+>?$/.test(draft.text.slice(from, to)) || places.has(end - 1)
    }),
  )
}

/** Drops or replaces groups that touch the blocks of the wrong lines, or those beside them. */
function withdraw(draft: Draft, groups: readonly Group[], wrong: ReadonlySet<number>): Group[] {
  // The number of each line's block; blocks are what blank lines separate.
  const blocks = new Uint32Array(draft.table.count)
  for (let line = 1, block = 0; line < blocks.length; line++) {
    if (draft.isBlank(line - 1) && !draft.isBlank(line)) block++
    blocks[line] = block
  }
  const touched = new Set([...wrong].flatMap((line) => [-1, 0, 1].map((step) => blocks[line]! + step)))
  const kept: Group[] = []
  for (const group of groups) {
    const isTouched = group.edits.some(({ at, end }) => {
      const last = draft.lineAt(end)
      for (let line = draft.lineAt(at); line <= last; line++) if (touched.has(blocks[line]!)) return true
      return false
    })
    if (!isTouched) kept.push(group)
    else if (group.fallback !== undefined) {
      const saved = draft.countSaved(group.fallback)
      if (saved > 0) kept.push({ ...group, edits: group.fallback, fallback: undefined, saved })
    }
  }
  return kept
}

/** A minified source, or one that is not changed. Restoring was verified. */
export interface MinifiedSource extends Minified {
  readonly tokens: { readonly source: number; readonly text: number }
}

/**
 * Minifies a source, as builds do and checks do again. The source stays as it is if that saves no
 * token, if no pack document could hold the patch, or if it is ill-formed.
 * @throws {Error} if the patch does not restore the source, which is a bug
 */
export function minifySource(source: string, options: MinifyOptions, tokenizer: Tokenizer): MinifiedSource {
  const same = keepSource(source, tokenizer)
  if (!source.isWellFormed()) return same
  const minified = minify(source, options, tokenizer)
  const kept = { ...same, withdrawn: minified.withdrawn }
  if (minified.patch.length === 0 || !fitsDocument(minified)) return kept
  if (restoreText(minified.text, minified.patch) !== source)
    throw new Error('A minified text does not give its source back. Please report it with the source.')
  const tokens = { ...same.tokens, text: tokenizer.countTokens(minified.text) }
  return tokens.text < tokens.source ? { ...minified, tokens } : kept
}

export function keepSource(text: string, tokenizer: Tokenizer): MinifiedSource {
  const count = tokenizer.countTokens(text)
  return { text, links: [], patch: [], withdrawn: 0, saved: {}, tokens: { source: count, text: count } }
}

/** Returns the options in the form of a pack document: each name once, in order. */
export function resolveMinify({ dialect = [], off = [] }: MinifyOptions): Required<MinifyOptions> {
  return {
    dialect: DIALECTS.filter((name) => dialect.includes(name)),
    off: MINIFY_RULES.filter((name) => off.includes(name)),
  }
}
