import { listPhrases, MAX_PHRASES } from '@packs/catalog'
import type { Scheme } from '@packs/codec'
import { tokenizerNames, type TokenizerName } from '@packs/codec/tokens'

/** Packs and sections of a prompt together, as in the API. */
export const MAX_PARTS = 50
/** Names that are read of a longer URL. */
const MAX_NAMES = 60
const MAX_NAME = 400
/** Code points of a question and of a search. */
export const MAX_WORDS = 400
export const MIN_CONTEXT = 200
export const MAX_CONTEXT = 16_000
const DEFAULT_CONTEXT = 2000
const MAX_BUDGET = 99_999_999

/** `as-built`: nothing is compressed again. The empty text is the default, the cheapest prompt. */
export const schemeChoices = ['', 'as-built', 'none', 'glossary-1', 'dense-1', 'max-1'] as const

/** What a prompt is composed of. The URL holds all of it. */
export interface PromptQuery {
  /** Names of packs: `slug` or `slug@1.2.0`. */
  readonly packs: readonly string[]
  /** Names of sections: `slug/section-id`. */
  readonly sections: readonly string[]
  readonly scheme: Scheme | 'as-built' | ''
  readonly tokenizer: TokenizerName | ''
  /** Most tokens of the prompt. */
  readonly budget: number | undefined
  /** A question, whose passages are the prompt; undefined for a prompt of packs. */
  readonly q: string | undefined
  /** Words that packs and sections to add are searched by. */
  readonly find: string
  /** What of the URL was not understood, in sentences. */
  readonly problems: readonly string[]
}

/** Parses the query of `/prompt`. What is invalid is ignored and told. */
export function parsePromptQuery(url: string): PromptQuery {
  const start = url.indexOf('?')
  const query = new URLSearchParams(start < 0 ? '' : url.slice(start))
  const problems: string[] = []
  const readNames = (field: string): readonly string[] => {
    const names = new Set(query.getAll(field).map((name) => name.trim().slice(0, MAX_NAME)))
    names.delete('')
    return [...names].slice(0, MAX_NAMES)
  }
  const readChoice = <Name extends string>(field: string, choices: readonly Name[]): Name | '' => {
    const wanted = query.get(field) ?? ''
    const found = choices.find((name) => name === wanted)
    if (found === undefined && wanted !== '')
      problems.push(
        `There is no ${field} “${wanted.slice(0, 40)}”; choose one of ${choices.filter(Boolean).join(', ')}.`,
      )
    return found ?? ''
  }
  const readWords = (field: string, what: string): string => {
    const words = (query.get(field) ?? '').replace(/\p{Cc}+/gu, ' ').trim()
    if (Array.from(words).length > MAX_WORDS) problems.push(`${what} has at most ${MAX_WORDS} characters.`)
    else if (listPhrases(words).length > MAX_PHRASES)
      problems.push(`${what} has at most ${MAX_PHRASES} phrases in quotation marks.`)
    else return words
    return ''
  }
  const q = query.has('q') ? readWords('q', 'A question') : undefined
  const [least, most] = q === undefined ? [1, MAX_BUDGET] : [MIN_CONTEXT, MAX_CONTEXT]
  const written = (query.get('budget') ?? '').trim().replaceAll(/[, _]/g, '')
  const number = /^\d{1,9}$/.test(written) ? Number(written) : Number.NaN
  const isNumber = number >= least && number <= most
  if (written !== '' && !isNumber)
    problems.push(`A budget is a whole number of tokens from ${least} to ${most.toLocaleString('en-US')}.`)
  return {
    packs: readNames('pack'),
    sections: readNames('section'),
    scheme: readChoice('scheme', schemeChoices),
    tokenizer: readChoice('tokenizer', tokenizerNames),
    budget: isNumber ? number : q === undefined ? undefined : DEFAULT_CONTEXT,
    q,
    find: readWords('find', 'A search'),
    problems,
  }
}

/** Formats the path of a query, without default values. */
export function formatPromptPath(
  { packs, sections, scheme, tokenizer, budget, q, find }: Omit<PromptQuery, 'problems'>,
  path = '/prompt',
): string {
  const query = new URLSearchParams()
  for (const name of packs) query.append('pack', name)
  for (const name of sections) query.append('section', name)
  if (scheme !== '') query.set('scheme', scheme)
  if (tokenizer !== '') query.set('tokenizer', tokenizer)
  if (budget !== undefined && !(q !== undefined && budget === DEFAULT_CONTEXT))
    query.set('budget', String(budget))
  if (q !== undefined) query.set('q', q)
  if (find !== '') query.set('find', find)
  // A slash and an at sign need no escape in a query.
  const text = query.toString().replaceAll('%2F', '/').replaceAll('%40', '@')
  return text === '' ? path : `${path}?${text}`
}
