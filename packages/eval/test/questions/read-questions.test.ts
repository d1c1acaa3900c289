import { readFileSync } from 'node:fs'
import { describe, expect, it, test } from 'vitest'
import { EvalError } from '../../src/eval-error.ts'
import { checkQuestions, parseQuestions } from '../../src/questions/read-questions.ts'

const ONE = `- id: a1
  doc: api
  question: How long is the limit?
  answer: 75 s
  evidence:
    - the limit is 75 s
`

function fail(run: () => unknown): EvalError {
  let thrown: unknown
  try {
    run()
  } catch (error) {
    thrown = error
  }
  expect(thrown).toBeInstanceOf(EvalError)
  expect(thrown).toMatchObject({ code: 'invalid_questions', file: 'q.yaml' })
  return thrown as EvalError
}

/** The faults as they are shown, without the name of the file. */
const listFaults = ({ faults }: EvalError): string[] =>
  faults.map(({ line, message }) => `${line === null ? '' : `line ${line}: `}${message}`)
const parseFault = (text: string): string => listFaults(fail(() => parseQuestions(text, 'q.yaml')))[0]!

describe('parseQuestions', () => {
  it('reads YAML, with a fact for the default kind', () => {
    expect(parseQuestions(ONE, 'q.yaml')).toEqual([
      {
        id: 'a1',
        doc: 'api',
        kind: 'fact',
        question: 'How long is the limit?',
        answer: '75 s',
        accept: [],
        evidence: ['the limit is 75 s'],
      },
    ])
  })

  it.each(['a', 'b'])('reads the questions of the study %s as JSON does', (set) => {
    const text = readFileSync(`bench/reading/questions-${set}.json`, 'utf8')
    expect(parseQuestions(text, 'q.json')).toEqual(JSON.parse(text))
    const tabs = JSON.stringify(JSON.parse(text), null, '\t')
    expect(parseQuestions(`\uFEFF${tabs}`, 'q.json')).toEqual(JSON.parse(text))
  })

  it('reads values as they are written, and trims what YAML adds', () => {
    const [one] = parseQuestions(
      `- {id: 007, doc: api, question: Yes?, answer: 1.50, accept: [true, ~, 21:00], evidence: ["1.50"]}`,
      'q.yaml',
    )
    expect(one).toMatchObject({ id: '007', answer: '1.50', accept: ['true', '~', '21:00'] })
    const block = ONE.replace('- the limit is 75 s', '- |\n      the limit\n      is 75 s\n')
    expect(parseQuestions(block, 'q.yaml')[0]!.evidence).toEqual(['the limit\nis 75 s'])
  })

  it('reads aliases, within bounds', () => {
    const shared =
      ONE.replace('evidence:\n', 'evidence: &e\n') +
      ONE.replace('a1', 'a2')
        .replace('long', 'high')
        .replace(/evidence:[^]*/, 'evidence: *e\n')
    expect(parseQuestions(shared, 'q.yaml')[1]!.evidence).toEqual(['the limit is 75 s'])
    const laughs = Array.from({ length: 9 }, (_, n) => `- &l${n} [${`*l${n - 1},`.repeat(n === 0 ? 0 : 9)}x]`)
    expect(parseFault(laughs.join('\n'))).toMatch(/alias/)
    expect(parseFault('- *none')).toMatch(/alias/)
  })

  it.each([
    ['', 'line 1: must be a list of 1 to 5000 questions'],
    ['{}', 'line 1: must be a list of 1 to 5000 questions'],
    ['[]', 'line 1: must be a list of 1 to 5000 questions'],
    ['- a', 'line 1: question 1: Invalid input: expected object, received string'],
    [ONE.replace('75 s', '"75 s'), 'line 7: Missing closing "quote'],
    [ONE.replace('  answer: 75 s\n', ''), 'line 1: question "a1": answer must be a text'],
    [ONE.replace('answer: 75 s', 'answer: " "'), 'line 1: question "a1": answer is empty'],
    [ONE.replace('answer: 75 s', 'answer:'), 'line 1: question "a1": answer is empty'],
    [ONE.replace('answer: 75 s', 'answer: [75 s]'), 'line 1: question "a1": answer must be a text'],
    [ONE.replace('answer:', 'anwser: 1\n  answer:'), 'line 1: question "a1": Unrecognized key: "anwser"'],
    [ONE.replace('answer:', 'answer: 1\n  answer:'), 'line 1: question "a1": a key is there twice'],
    [
      ONE.replace('answer:', 'kind: guess\n  answer:'),
      'line 1: question "a1": kind must be one of fact, quote',
    ],
    [ONE.replace('answer:', 'accept: 75\n  answer:'), 'line 1: question "a1": accept must be a list'],
    [ONE.replace('answer:', 'accept: [75, ""]\n  answer:'), 'line 1: question "a1": accept 1 is empty'],
    [ONE.replace(/evidence:[^]*/, 'evidence: []'), 'line 1: question "a1": evidence is empty'],
    [ONE.replace('id: a1', 'id: ""'), 'line 1: question 1: id is empty'],
    [ONE.replace('75 s', 'x'.repeat(4001)), 'line 1: question "a1": answer has more than 4000 characters'],
    [`${ONE}\n${ONE}`, 'line 8: question "a1": an earlier question has this id'],
    [`[{"id": "\\u001b[31m"}]`, 'line 1: question "\\u001b[31m": doc must be a text'],
  ])('refuses %j: %s', (text, fault) => {
    expect(parseFault(text)).toContain(fault)
  })

  it('names ten faults at once, each with its line', () => {
    const text = Array.from({ length: 12 }, (_, n) => ONE.replace('a1', `a${n}`).replace('75 s', '""')).join(
      '',
    )
    const error = fail(() => parseQuestions(text, 'q.yaml'))
    expect(error.message).toBe('q.yaml has 12 faults, of which 10 are shown')
    expect(listFaults(error)).toHaveLength(10)
    expect(listFaults(error)[9]).toBe('line 55: question "a9": answer is empty')
    expect(fail(() => parseQuestions('', 'q.yaml')).message).toBe('q.yaml has a fault')
  })

  it('refuses a question that asks the same of the same document', () => {
    const again = ONE.replace('a1', 'a2').replace('How long is', 'how LONG  is')
    expect(parseFault(ONE + again)).toBe('line 7: question "a2": it asks the same as "a1"')
    expect(parseQuestions(ONE + again.replace('doc: api', 'doc: other'), 'q.yaml')).toHaveLength(2)
  })

  it('refuses more than 5,000 questions, and nesting without end', () => {
    const many = Array.from({ length: 5001 }, (_, n) =>
      ONE.replace('a1', `a${n}`).replace('long', `long ${n}`),
    )
    expect(parseQuestions(many.slice(1).join(''), 'q.yaml')).toHaveLength(5000)
    expect(parseFault(many.join(''))).toContain('1 to 5000 questions')
    expect(parseFault('['.repeat(20_000))).toContain('line 1')
  })
})

describe('checkQuestions', () => {
  const [question] = parseQuestions(ONE, 'q.yaml')
  const check = (source: string, doc = 'api'): string[] =>
    checkQuestions(
      [{ ...question!, doc }],
      new Map([
        ['api', source],
        ['runbook', ''],
      ]),
      'q.yaml',
    )

  it('returns the documents without a question', () => {
    expect(check('Here the limit is 75 s.')).toEqual(['runbook'])
  })

  it('names evidence that is not in the document word for word', () => {
    const find = (source: string) => fail(() => check(source)).faults[0]!
    expect(find('The limit is 75 s.')).toMatchObject({
      message: 'question "a1": the evidence "the limit is 75 s" is not in api word for word',
      hint: 'copy it from the source',
    })
    expect(find('the limit\n  is 75 s.').hint).toBe('copy its white space and quotes too')
  })

  it('names the nearest slug, or lists them', () => {
    const find = (doc: string) => fail(() => check('', doc)).faults[0]!
    expect(find('runbok')).toMatchObject({
      message: 'question "a1": none of the packs has the slug "runbok"',
      hint: 'name its pack too, or use the slug of one that is named: runbook',
    })
    expect(find('handbook-of-all').hint).toMatch(/named: api, runbook$/)
  })
})

test('finds the evidence of the study in its documents', () => {
  const questions = ['a', 'b'].flatMap((set) =>
    parseQuestions(readFileSync(`bench/reading/questions-${set}.json`, 'utf8'), 'q.json'),
  )
  const slugs = new Set(questions.map(({ doc }) => doc))
  const documents = new Map(
    [...slugs].map((slug) => [slug, readFileSync(`bench/reading/docs/${slug}.md`, 'utf8')]),
  )
  expect(checkQuestions(questions, documents, 'q.json')).toEqual([])
  expect(questions).toHaveLength(120)
})
