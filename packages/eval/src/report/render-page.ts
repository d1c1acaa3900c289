import { type Html, markup, renderOfflinePage } from '@packs/theme'
import { SCHEMES } from '../types.ts'
import type { EvalResult, PairedFigures, Verdict, DifferingQuestion, Grade } from '../types.ts'
import {
  countOf,
  cutText,
  describeFacts,
  describeMeasurement,
  describeOutcome,
  formatInterval,
  formatNumber,
  formatPoints,
  type Table,
  tabulateAnswers,
  tabulateSchemes,
  tabulateUsage,
  nameArm,
} from './describe-result.ts'

const MAX_ITEMS = 50
const MAX_LENGTH = 500
const ROW_HEIGHT = 52

const SIGNS: Readonly<Partial<Record<Verdict, readonly [sign: string, name: string]>>> = {
  'as good': ['✓', 'right'],
  worse: ['✗', 'wrong'],
  'too few questions': ['?', 'undecided'],
  'no verdict': ['!', 'undecided'],
}

/** A page without scripts and requests, to open offline, keep or send; of at most about 8 MB. */
export function renderPage(result: EvalResult): string {
  const { packs, schemes, url } = result
  const what = packs.length === 1 ? cutText(packs[0]!.slug, 60) : countOf(packs.length, 'pack')
  const verdicts = schemes.map((outcome) => {
    const [sign, name] = SIGNS[outcome.verdict] ?? ['–', 'other']
    return markup`<li class="${name}"><span aria-hidden="true">${sign}</span> ${describeOutcome(outcome, result)}.</li>`
  })
  const warnings = result.warnings
    .slice(0, MAX_ITEMS)
    .map((text) => markup`<li>${cutText(text, MAX_LENGTH)}</li>`)
  const names = packs.slice(0, MAX_ITEMS).map((pack) => `${pack.slug} ${pack.version} (${pack.compression})`)
  const more = packs.length > MAX_ITEMS ? ` and ${packs.length - MAX_ITEMS} more` : ''
  return renderOfflinePage({
    title: `Evaluation of ${what} with ${cutText(result.model, 60)}`,
    generator: 'pack eval --report',
    skipTo: 'verdicts',
    header: markup`<p class="rest">${describeMeasurement(result)}.</p>`,
    main: markup`<section aria-labelledby="verdicts"><h2 id="verdicts">Verdicts</h2>
<ul class="verdicts">${verdicts}</ul>
${warnings.length > 0 && markup`<h3>Warnings</h3><ul class="warnings">${warnings}</ul>`}</section>
<section aria-labelledby="differences"><h2 id="differences">Differences from the source</h2>
${drawIntervals(result)}
${renderTable('Schemes', tabulateSchemes(result))}
<ul>${describeFacts(result).map((fact) => markup`<li>${fact}.</li>`)}</ul></section>
<section aria-labelledby="arms"><h2 id="arms">Answers and costs</h2>
${renderTable('Answers', tabulateAnswers(result))}
${renderTable('Tokens, time and cost', tabulateUsage(result, formatNumber))}
<p class="rest">Tokens as the endpoint billed them; seconds from request to answer, the median. With terms: answers in which the model wrote terms of the header, which people need decoded.</p>
<p class="rest">Packs: ${names.join(', ')}${more}.</p></section>
${renderQuestions(result)}`,
    footer: markup`<p class="rest">The result of ${result.date}${url !== null && `, from ${cutText(url, MAX_LENGTH)}`}. It is about these documents and questions and this model; others may differ.</p>`,
    style: STYLE,
  })
}

function renderTable(label: string, { headings, rows }: Table): Html {
  const style = (at: number): Html | false => headings[at]!.startsWith('>') && markup` class="n"`
  const heads = headings.map((text, at) => markup`<th scope="col"${style(at)}>${text.replace('>', '')}</th>`)
  const lines = rows.map(([name = '', ...cells]) => {
    const rest = cells.map((cell, at) => markup`<td${style(at + 1)}>${cell}</td>`)
    return markup`<tr><th scope="row">${name}</th>${rest}</tr>\n`
  })
  return markup`<div class="scroll" role="region" tabindex="0" aria-label="${label}"><table><thead><tr>${heads}</tr></thead>
<tbody>${lines}</tbody></table></div>`
}

/** Draws the differences on one axis. Nothing is scaled, so the text stays readable on phones. */
function drawIntervals({ schemes, noise, control, margin }: EvalResult): Html {
  const given: readonly (readonly [name: string, figures: PairedFigures | null])[] = [
    ...schemes.map(({ scheme, figures }) => [scheme, figures] as const),
    ...schemes.map(({ scheme, undecided_wrong: strict }) => [`${scheme} strict`, strict] as const),
    ['noise', noise],
    ['control', control],
  ]
  const rows = given.flatMap(([name, figures]) => (figures === null ? [] : [{ name, figures }]))
  // The control may be far away, and would squeeze the others.
  const near = rows.flatMap(({ figures }) => (figures === control ? [] : figures.interval))
  const [low, high] = [1.1 * Math.min(-0.02 * margin, ...near), 1.1 * Math.max(0.01 * margin, ...near)]
  const isShown = (share: number): boolean => share >= low && share <= high
  const place = (share: number): number =>
    Number((100 * Math.max(0, Math.min(1, (share - low) / (high - low)))).toFixed(2))
  const bottom = ROW_HEIGHT * rows.length + 12
  const drawn = rows.map(({ name, figures: { difference, interval } }, row) => {
    const y = ROW_HEIGHT * row + 36
    const [left, right] = interval.map((share) => `${place(share)}%`) as [string, string]
    const ends = interval.map((share) => {
      const sign = isShown(share) ? '|' : share < low ? '◂' : '▸'
      return markup`<text class="mid" x="${place(share)}%" y="${y + 5}">${sign}</text>`
    })
    const point = isShown(difference) && markup`<circle cx="${place(difference)}%" cy="${y}" r="5"></circle>`
    return markup`<g class="${name === 'noise' || name === 'control' ? 'other' : 'scheme'}"><text y="${y - 17}">${name}</text><text class="end" x="100%" y="${y - 17}">${formatPoints(difference)} (${formatInterval(interval)})</text>
<line x1="${left}" x2="${right}" y1="${y}" y2="${y}"></line>${ends}${point}</g>\n`
  })
  const step = [0.01, 0.02, 0.05, 0.1, 0.2, 0.5].find((size) => (high - low) / size <= 6) ?? 1
  const first = Math.ceil(low / step)
  const ticks = Array.from({ length: Math.floor(high / step) - first + 1 }, (_, at) => {
    const share = (first + at) * step
    return markup`<text class="mid tick" x="${place(share)}%" y="${bottom + 18}">${formatPoints(share).replace('.0', '')}</text>`
  })
  const edge = place(-margin / 100)
  return markup`<figure><svg role="img" aria-label="Differences from the source with 95 % intervals, as in the table below" height="${bottom + 24}">
<rect class="zone" x="${edge}%" width="${(100 - edge).toFixed(2)}%" height="${bottom}"></rect>
<line class="margin" x1="${edge}%" x2="${edge}%" y2="${bottom}"></line><line x1="${place(0)}%" x2="${place(0)}%" y2="${bottom}"></line>
${drawn}${ticks}</svg>
<figcaption class="rest">In percentage points: one point is one more right answer in 100. A scheme is as good as the source if its whole interval is in the shaded zone, right of the dashed line at −${margin}; otherwise it is worse if its whole interval is left of 0. Noise: the source, asked again. Control: the pack without its header. Strict: undecided answers taken for wrong. An arrow: outside of the picture.</figcaption></figure>
`
}

const STYLE = `
.verdicts,.answers,.terms{list-style:none;padding:0}figure,article,.verdicts li{margin:1rem 0;background:var(--sheet);border:1px solid var(--line);border-radius:var(--radius)}.verdicts li,.warnings{margin:.6rem 0;padding:.65rem 1rem;border-inline-start:5px solid var(--line-strong)}.verdicts span{display:inline-block;min-width:1.2rem;font-weight:700}
.verdicts .right{border-inline-start-color:var(--accent)}.right span{color:var(--accent-ink)}.undecided span{color:var(--header)}.verdicts .wrong{border-inline-start-color:var(--bad);background:var(--bad-soft)}.wrong span{color:var(--bad)}
.warnings{background:var(--warm-soft);border:1px solid var(--warm-line);border-radius:var(--radius);padding-inline-start:2rem}figure,article{padding:1rem 1.25rem}svg{display:block;width:100%;overflow:visible;font-size:.8125rem}figcaption.rest{margin:1rem 0 0}
svg text{fill:var(--ink)}svg .end{text-anchor:end;paint-order:stroke;stroke:var(--sheet);stroke-width:3px}svg .mid{text-anchor:middle}svg .tick{fill:var(--quiet)}.zone{fill:var(--saved);opacity:.55}svg line{stroke:var(--line-strong)}.margin{stroke-dasharray:5 4}.scheme line,.other line{stroke-width:2.5}
.scheme line{stroke:var(--accent)}.scheme circle,.scheme .mid{fill:var(--accent)}.other circle,.other .mid{fill:var(--line-strong)}
article{content-visibility:auto;contain-intrinsic-size:auto 22rem}article h3{margin:0}.text{white-space:pre-wrap;unicode-bidi:plaintext}dl{margin:.75rem 0}dt{color:var(--quiet);font-size:.875rem}dd{margin:0 0 .5rem;border-inline-start:3px solid var(--line);padding-inline-start:.75rem}
.terms{display:flex;flex-wrap:wrap;gap:.3rem .6rem;font-size:.875rem}.terms li{background:var(--soft);border-radius:4px;padding:.05rem .5rem}.answers{display:grid;grid-template-columns:repeat(auto-fit,minmax(min(100%,15rem),1fr));gap:.6rem;margin-bottom:0}
.answers li{padding:.6rem .8rem;border:1px solid var(--line);border-top:4px solid var(--accent);border-radius:6px;font-size:.925rem}.answers .wrong{border-top-color:var(--bad)}.answers .undecided{border-top-color:var(--header)}
.answers p{display:flex;flex-wrap:wrap;justify-content:space-between;gap:0 1rem;margin:0 0 .25rem}@media(max-width:24rem){svg{font-size:.75rem}}
@media print{article{content-visibility:visible}article,figure{break-inside:avoid}}
`

/** Most questions that a page shows, and bytes of HTML after which it shows no other. */
const MAX_QUESTIONS = 300
const MAX_BYTES = 6_500_000
/** Longest text that is shown, in UTF-16 units, and longest term and name. */
const MAX_TEXT_LENGTH = 2000
const MAX_NAME_LENGTH = 100
/** Most entries, and passages and terms of a question. */
const MAX_LISTED = 20

/** Signs beside the words, so that a grade is seen at a glance and without color. */
const GRADE_SIGNS: Readonly<Record<Grade, string>> = { right: '✓', wrong: '✗', undecided: '?' }

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
  const rows = counts.slice(0, MAX_LISTED).map(([entry, { length }]) => {
    const [term, expansion] = entry.split('\0')
    return markup`<tr><th scope="row"><bdi>${term}</bdi></th><td><bdi>${expansion}</bdi></td><td class="n">${length}</td></tr>\n`
  })
  const none = worse.filter(({ terms }) => terms.length === 0).length
  return markup`<section aria-labelledby="entries"><h2 id="entries">Entries that may confuse</h2>
<p class="rest">Entries of the densest scheme whose expansion is in the evidence of the ${countOf(worse.length, 'question')} worse under a scheme, and in how many; ${none} have no term.${counts.length > MAX_LISTED && ` The ${MAX_LISTED} most frequent of ${counts.length}.`}</p>
<div class="scroll" role="region" tabindex="0" aria-label="Entries"><table><thead><tr><th scope="col">term</th><th scope="col">expansion</th><th scope="col" class="n">worse questions</th></tr></thead>
<tbody>${rows}</tbody></table></div></section>\n`
}

/** Renders a question with its answers side by side, texts cut to what a page can hold. */
function renderQuestion({ question, terms, answers }: DifferingQuestion): Html {
  const cut = (text: string): string => cutText(text, MAX_TEXT_LENGTH)
  const cutName = (text: string): string => cutText(text, MAX_NAME_LENGTH)
  const evidence = question.evidence
    .slice(0, MAX_LISTED)
    .map((text) => markup`<dd class="text">${cut(text)}</dd>`)
  const pairs = terms.slice(0, MAX_LISTED).map(({ term, expansion }) => {
    return markup`<li><bdi><b>${cutName(term)}</b></bdi> = <bdi>${showSpaces(cutName(expansion))}</bdi></li>`
  })
  const cards = answers.map(({ arm, grade, by, text }) => {
    const shown = text.trim() === '' ? markup`<i>no text</i>` : cut(text)
    return markup`<li class="${grade}"><p><b>${nameArm(arm)}</b> <span>${GRADE_SIGNS[grade]} ${grade}, by ${by}</span></p><div class="text">${shown}</div></li>\n`
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
