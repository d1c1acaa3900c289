import { expect, it } from 'vitest'
import { renderPage } from '../../src/report/render-page.ts'
import type { EvalResult } from '../../src/types.ts'
import { makeArm, makeDiffering, makeFigures, makeResult } from './made-up-result.ts'

const render = (fields: Partial<EvalResult> = {}): string => renderPage(makeResult(fields))

/** Lists the headings of sections, each with the ids of its questions. */
function listSections(page: string): [heading: string, ids: string[]][] {
  return page
    .split('<h2')
    .slice(1)
    .map((part) => [
      /^[^>]*>([^<]*)/.exec(part)![1]!,
      [...part.matchAll(/<bdi>(q-[\w-]+)<\/bdi>/g)].map(([, id = '']) => id),
    ])
}

it('has the verdicts first, then questions worse under a scheme, better, and others', () => {
  expect(listSections(render())).toEqual([
    ['Verdicts', []],
    ['Differences from the source', []],
    ['Answers and costs', []],
    ['Entries that may confuse', []],
    ['Worse under a scheme (1)', ['q-worse']],
    ['Better under a scheme (1)', ['q-better']],
    ['Other differences (1)', ['q-other']],
  ])
})

it('counts the entries in questions that are worse, the most frequent first', () => {
  const worse = [0, 1, 2].map((at) => {
    const one = makeDiffering(`q-${at}`, [
      ['source', 'undecided'],
      ['dense-2', 'wrong'],
    ])
    const term = { term: `t${at > 0 ? 'often' : 'once'}`, expansion: 'an expansion' }
    return { ...one, terms: at === 2 ? [term, term] : [term] }
  })
  const better = makeDiffering('q-better', [
    ['source', 'wrong'],
    ['max-2', 'undecided'],
  ])
  const page = render({ differing: [better, ...worse, { ...worse[0]!, terms: [] }] })
  const rows = [...page.matchAll(/<th scope="row"><bdi>(\w+)<\/bdi><\/th>.*?<td class="n">(\d+)<\/td>/g)]
  expect(rows.map(([, term, count]) => [term, count])).toEqual([
    ['toften', '2'],
    ['tonce', '1'],
  ])
  expect(page).toContain('4 questions worse under a scheme, and in how many; 1 have no term.')
  expect(listSections(page).map(([heading]) => heading)).toContain('Worse under a scheme (4)')
  expect(listSections(page).map(([heading]) => heading)).toContain('Better under a scheme (1)')
})

it('draws each interval where it is, and an arrow for one beyond the picture', () => {
  const page = render()
  const names = [...page.matchAll(/<g class="(\w+)"><text y="\d+">([\w -]+)<\/text>/g)]
  expect(names.map(([, kind, name]) => `${kind} ${name}`)).toEqual([
    'scheme minify-1',
    'scheme dense-2',
    'scheme max-2',
    'scheme dense-2 strict',
    'other noise',
    'other control',
  ])
  expect(page.match(/◂/g)).toHaveLength(2)
  expect(page.match(/<circle/g)).toHaveLength(5)
  const [low, high] = [1.1 * -0.117, 1.1 * 0.05]
  const place = (share: number): string => `x="${Number(((100 * (share - low)) / (high - low)).toFixed(2))}%"`
  expect(page).toContain(place(-0.031))
  expect(page).toContain(place(0.022))
  expect(page).toContain(`<rect class="zone" ${place(-0.05)}`)
})

it('works without a judge, control, header, costs, times, differences and warnings', () => {
  const unknown = {
    tokens: { input: null, cached: null, output: null, reasoning: null },
    cost: null,
    cost_per_right: null,
    latency: null,
  }
  const scheme = {
    scheme: 'dense-2',
    verdict: 'same prompt',
    figures: null,
    undecided_wrong: null,
    needed: null,
  } as const
  const page = render({
    judge: null,
    control: null,
    cost: null,
    url: null,
    warnings: [],
    differing: [],
    schemes: [scheme],
    arms: [makeArm('source', unknown), makeArm('dense-2', { ...unknown, same_prompt: true })],
    noise: makeFigures(0, 0, [-0.016, 0.016]),
  })
  expect(page).toContain('dense-2: same prompt as the source')
  expect(page).not.toMatch(/NaN|Infinity|null|undefined(?!-)|>Warnings</)
})

it.each(['as good', 'worse', 'too few questions', 'not tested', 'same prompt', 'no verdict'] as const)(
  'shows the verdict %s in words and with a sign',
  (verdict) => {
    const page = render({ schemes: [{ ...makeResult().schemes[0]!, verdict }] })
    expect(page).toMatch(
      new RegExp(`<li class="\\w+"><span aria-hidden="true">.</span> minify-1: ${verdict}`),
    )
  },
)

it('escapes hostile text, and shows invisible characters by their code points', () => {
  const hostile = `</title></style><script>alert(1)</script>"'<img src=x onerror=alert(1)>\u202Eturned\u200B\u0007`
  const one = makeDiffering(
    'q',
    [
      ['source', 'right'],
      ['dense-2', 'wrong', hostile],
    ],
    hostile,
  )
  const question = {
    ...one.question,
    id: hostile,
    doc: hostile,
    question: hostile,
    answer: hostile,
    evidence: [hostile],
  }
  const page = render({
    model: hostile,
    returned: [hostile],
    url: hostile,
    warnings: [hostile],
    packs: [{ ...makeResult().packs[0]!, slug: hostile }],
    judge: { model: hostile, is_reader: false, controls: { asked: 0, accepted: 0 } },
    differing: [{ ...one, question, terms: [{ term: hostile, expansion: hostile }] }],
  })
  expect(page).not.toMatch(/<script|<img|[\u202E\u200B\u0007]/)
  expect(page.match(/<\/style>|<\/title>/g)).toHaveLength(2)
  expect(page).toContain('<i class=x>U+202E</i>turned<i class=x>U+200B</i><i class=x>U+0007</i>')
  const title = /<title>(.*?)<\/title>/.exec(page)![1]!
  expect(title).not.toContain('<')
})

it('cuts long answers, and says how much is missing', () => {
  const long = 'x'.repeat(1999) + '😀'.repeat(5000)
  const page = render({
    differing: [
      makeDiffering('q-long', [
        ['source', 'right'],
        ['dense-2', 'wrong', long],
      ]),
    ],
  })
  expect(page).toContain(`${'x'.repeat(1999)}… (9,999 more characters)</div>`)
})

it('shows 300 of 5,000 questions, and is at most 8 MB with the worst answers', () => {
  const worst = '\u202E'.repeat(100_000)
  const many = (text: string): EvalResult['differing'] =>
    Array.from({ length: 5000 }, (_, at) =>
      makeDiffering(
        `q-${at}`,
        [
          ['source', 'right'],
          ['source-again', 'right'],
          ['minify-1', 'wrong'],
          ['dense-2', 'wrong'],
        ],
        text,
      ),
    )
  const page = render({ differing: many('short') })
  expect(page.match(/<article>/g)).toHaveLength(300)
  expect(page).toContain('Worse under a scheme (5000)')
  expect(page).toContain('4,700 more questions not shown')
  const terms = Array.from({ length: 50 }, () => ({ term: worst, expansion: worst }))
  const large = render({
    warnings: Array.from({ length: 500 }, () => worst),
    differing: many(worst).map((one) => ({
      ...one,
      terms,
      question: {
        ...one.question,
        question: worst,
        answer: worst,
        evidence: Array.from({ length: 500 }, () => worst),
      },
    })),
  })
  expect(Buffer.byteLength(large)).toBeLessThan(8_500_000)
  expect(large).toMatch(/4,9\d\d more questions not shown/)
})
