import { type Html, markup } from '@packs/theme'
import { type DifferingQuestion, type EvalResult, type Grade, SCHEMES } from '../types.ts'
import { countOf, cutText, nameArm } from './describe-result.ts'

/** Most questions that a page shows, and bytes of HTML after which it shows no other. */
const MAX_QUESTIONS = 300
const MAX_BYTES = 6_500_000
/** Longest text that is shown, in UTF-16 units, and longest term and name. */
const MAX_TEXT_LENGTH = 2000
const MAX_NAME_LENGTH = 100
/** Most entries, and passages and terms of a question. */
const MAX_ITEMS = 20

/** Signs beside the words, so that a grade is seen at a glance and without color. */
const SIGNS: Readonly<Record<Grade, string>> = { right: '✓', wrong: '✗', undecided: '?' }

const GROUPS = [
  ['worse', 'Worse under a scheme', 'Not wrong from the source, wrong from a pack.'],
  ['better', 'Better under a scheme', 'Wrong from the source, not wrong from a pack.'],
  ['other', 'Other differences', 'Between two runs of the source, or undecided.'],
] as const

/** Renders entries that may confuse, then the questions that differ, those worse first. */
export function renderQuestions({ differing }: EvalResult): Html {
  const groups = Map.groupBy(differing, classifyQuestion)
  let [left, bytes] = [MAX_QUESTIONS, MAX_BYTES]
  const sections = GROUPS.map(([group, title, note]) => {
    const questions = groups.get(group) ?? []
    const shown: Html[] = []
    while (shown.length < questions.length && left > 0 && bytes > 0) {
      const question = renderQuestion(questions[shown.length]!)
      bytes -= Buffer.byteLength(String(question))
      left--
      shown.push(question)
    }
    const omitted = questions.length - shown.length
    const rest = markup`<p class="rest">${countOf(omitted, 'more question')} not shown: the page would be too large. The output of <code>--json</code> has all of them.</p>`
    return markup`<section aria-labelledby="${group}"><h2 id="${group}">${title} (${questions.length})</h2>
<p class="rest">${note}</p>
${shown}${omitted > 0 && rest}</section>\n`
  })
  return markup`${renderEntries(groups.get('worse') ?? [])}${sections}`
}

/** Compares the grade from the source with those under schemes; undecided is not wrong. */
function classifyQuestion({ answers }: DifferingQuestion): (typeof GROUPS)[number][0] {
  const isWrong = answers.find(({ arm }) => arm === 'source')?.grade === 'wrong'
  const schemes = answers.filter(({ arm }) => SCHEMES.some((scheme) => scheme === arm))
  if (!schemes.some(({ grade }) => (grade === 'wrong') !== isWrong)) return 'other'
  return isWrong ? 'better' : 'worse'
}

/** Renders in the evidence of how many worse questions each entry's expansion is. */
function renderEntries(worse: readonly DifferingQuestion[]): Html | string {
  const cut = (text: string): string => cutText(text, MAX_NAME_LENGTH)
  const entries = worse.flatMap(({ terms }) => [
    ...new Set(terms.map(({ term, expansion }) => `${cut(term)}\0${showSpaces(cut(expansion))}`)),
  ])
  if (entries.length === 0) return ''
  const counts = [...Map.groupBy(entries, (entry) => entry)].toSorted(([, a], [, b]) => b.length - a.length)
  const rows = counts.slice(0, MAX_ITEMS).map(([entry, { length }]) => {
    const [term, expansion] = entry.split('\0')
    return markup`<tr><th scope="row"><bdi>${term}</bdi></th><td><bdi>${expansion}</bdi></td><td class="n">${length}</td></tr>\n`
  })
  const none = worse.filter(({ terms }) => terms.length === 0).length
  return markup`<section aria-labelledby="entries"><h2 id="entries">Entries that may confuse</h2>
<p class="rest">Entries of the densest scheme whose expansion is in the evidence of the ${countOf(worse.length, 'question')} worse under a scheme, and in how many; ${none} have no term.${counts.length > MAX_ITEMS && ` The ${MAX_ITEMS} most frequent of ${counts.length}.`}</p>
<div class="scroll" role="region" tabindex="0" aria-label="Entries"><table><thead><tr><th scope="col">term</th><th scope="col">expansion</th><th scope="col" class="n">worse questions</th></tr></thead>
<tbody>${rows}</tbody></table></div></section>\n`
}

/** Renders a question with its answers side by side, texts cut to what a page can hold. */
function renderQuestion({ question, terms, answers }: DifferingQuestion): Html {
  const cut = (text: string): string => cutText(text, MAX_TEXT_LENGTH)
  const cutName = (text: string): string => cutText(text, MAX_NAME_LENGTH)
  const evidence = question.evidence
    .slice(0, MAX_ITEMS)
    .map((text) => markup`<dd class="text">${cut(text)}</dd>`)
  const pairs = terms.slice(0, MAX_ITEMS).map(({ term, expansion }) => {
    return markup`<li><bdi><b>${cutName(term)}</b></bdi> = <bdi>${showSpaces(cutName(expansion))}</bdi></li>`
  })
  const cards = answers.map(({ arm, grade, by, text }) => {
    const shown = text.trim() === '' ? markup`<i>no text</i>` : cut(text)
    return markup`<li class="${grade}"><p><b>${nameArm(arm)}</b> <span>${SIGNS[grade]} ${grade}, by ${by}</span></p><div class="text">${shown}</div></li>\n`
  })
  return markup`<article><h3 class="text">${cut(question.question)}</h3>
<p class="rest"><bdi>${cutName(question.doc)}</bdi> · ${question.kind} · <bdi>${cutName(question.id)}</bdi></p>
<dl><dt>Expected</dt><dd class="text">${cut(question.answer)}</dd><dt>Evidence</dt>${evidence}</dl>
${pairs.length > 0 && markup`<ul class="terms" aria-label="Terms in the evidence">${pairs}</ul>`}<ul class="answers" aria-label="Answers">${cards}</ul></article>\n`
}

/** Shows the spaces at the ends of an expansion, which tell entries apart. */
function showSpaces(text: string): string {
  return text.replace(/^ | $/g, '␣')
}
