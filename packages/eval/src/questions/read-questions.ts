import { findClosestWord } from '@packs/codec/internal'
import { isMap, isNode, isSeq, LineCounter, parseDocument } from 'yaml'
import { z } from 'zod'
import { EvalError, type Fault } from '../eval-error.ts'
import { QUESTION_KINDS, type Question } from '../types.ts'

const MAX_QUESTIONS = 5000
const MAX_FAULTS = 10

const text = (max: number): z.ZodString =>
  z.string('must be a text').trim().min(1, 'is empty').max(max, `has more than ${max} characters`)
const list = (max: number): z.ZodArray<z.ZodString> =>
  z.array(text(4000), 'must be a list').max(max, `has more than ${max} entries`)
const SCHEMA = z.strictObject({
  id: text(200),
  doc: text(200),
  kind: z.enum(QUESTION_KINDS, `must be one of ${QUESTION_KINDS.join(', ')}`).default('fact'),
  question: text(2000),
  answer: text(4000),
  accept: list(50).default([]),
  evidence: list(20).min(1, 'is empty'),
})

/**
 * Reads a file of questions, in YAML or JSON: a list of maps with the keys of `Question`, of which
 * `kind` and `accept` are optional. Values are read as text, so `answer: 1.50` keeps its zero.
 * @param file its name in errors
 * @throws EvalError `invalid_questions` with the first ten faults and their lines
 */
export function parseQuestions(content: string, file: string): Question[] {
  const lines = new LineCounter()
  const findLine = (offset: number): number => lines.linePos(offset).line
  const document = parseDocument(content, {
    schema: 'failsafe',
    lineCounter: lines,
    prettyErrors: false,
    stringKeys: true,
    // The check of the library is quadratic.
    uniqueKeys: false,
  })
  const [fault] = document.errors
  if (fault !== undefined) throw faultsError(file, [createFault(findLine(fault.pos[0]), fault.message)])
  const nodes = isSeq(document.contents) ? document.contents.items : []
  if (nodes.length === 0 || nodes.length > MAX_QUESTIONS)
    throw faultsError(file, [createFault(1, `must be a list of 1 to ${MAX_QUESTIONS} questions`)])
  let values: readonly unknown[]
  try {
    values = document.toJS({ maxAliasCount: 1000 }) as unknown[]
  } catch {
    throw faultsError(file, [createFault(null, 'an alias refers to nothing, or expands to too much')])
  }
  const faults: Fault[] = []
  const questions = new Map<string, Question>()
  const asked = new Map<string, string>()
  for (const [index, node] of nodes.entries()) {
    const { data, error } = SCHEMA.safeParse(values[index])
    const { id = index + 1 } = z.object({ id: text(200) }).safeParse(values[index]).data ?? {}
    const line = findLine((isNode(node) && node.range?.[0]) || 0)
    const report = (message: string): unknown => faults.push(createFault(line, message, id))
    const keys = isMap(node) ? node.items.map(({ key }) => String(key)) : []
    if (new Set(keys).size < keys.length) report('a key is there twice')
    if (questions.has(String(id))) report('an earlier question has this id')
    for (const { path, message } of error?.issues ?? []) report([...path, message].join(' '))
    if (data === undefined) continue
    const name = nameQuestion(data)
    if (asked.has(name)) report(`it asks the same as ${JSON.stringify(asked.get(name))}`)
    asked.set(name, data.id)
    questions.set(data.id, data)
  }
  if (faults.length > 0) throw faultsError(file, faults)
  return [...questions.values()]
}

/** Two questions of one name are one: counted twice, they would make an interval too narrow. */
export function nameQuestion({ doc, question }: Pick<Question, 'doc' | 'question'>): string {
  return JSON.stringify([doc, question.toLowerCase().match(/[\p{L}\p{N}]+/gu)])
}

/**
 * Checks that each `doc` is one of the documents, and has the evidence word for word.
 * @returns slugs of the documents without a question
 */
export function checkQuestions(
  questions: readonly Question[],
  documents: ReadonlyMap<string, string>,
  file: string,
): string[] {
  const slugs = [...documents.keys()]
  const faults: Fault[] = []
  for (const { id, doc, evidence } of questions) {
    const source = documents.get(doc)
    if (source === undefined) {
      const closest = findClosestWord(doc, slugs) ?? slugs.slice(0, 20).join(', ')
      const hint = `name its pack too, or use the slug of one that is named: ${closest}`
      faults.push(createFault(null, `none of the packs has the slug ${JSON.stringify(doc)}`, id, hint))
      continue
    }
    for (const passage of evidence.filter((one) => !source.includes(one))) {
      const isAlike = foldPassage(source).includes(foldPassage(passage))
      const message = `the evidence ${JSON.stringify(passage.slice(0, 60))} is not in ${doc} word for word`
      const hint = isAlike ? 'copy its white space and quotes too' : 'copy it from the source'
      faults.push(createFault(null, message, id, hint))
    }
  }
  if (faults.length > 0) throw faultsError(file, faults)
  const asked = new Set(questions.map(({ doc }) => doc))
  return slugs.filter((slug) => !asked.has(slug))
}

export type Draft = Omit<Question, 'id' | 'doc'>

/** As in a file of questions, but with other keys, one text as evidence, or no usable `accept`. */
export function readDraft(value: unknown): Draft | undefined {
  return DRAFT.safeParse(value).data
}

const { accept, evidence } = SCHEMA.shape
const DRAFT = SCHEMA.omit({ id: true, doc: true })
  .strip()
  .extend({
    accept: accept.catch([]),
    evidence: z.preprocess((value) => (typeof value === 'string' ? [value] : value), evidence),
  })

function foldPassage(text: string): string {
  return text.replaceAll(/[‘’“”«»"]/g, "'").replaceAll(/\s+/g, ' ')
}

function createFault(
  line: number | null,
  message: string,
  id?: string | number,
  hint = 'docs/eval.md describes the keys',
): Fault {
  const place = id === undefined ? '' : `question ${JSON.stringify(id)}: `
  return { line, column: null, message: place + message, hint }
}

function faultsError(file: string, faults: readonly Fault[]): EvalError {
  const shown = faults.slice(0, MAX_FAULTS)
  const more = faults.length > shown.length ? `, of which ${shown.length} are shown` : ''
  const count = faults.length === 1 ? 'a fault' : `${faults.length} faults${more}`
  const details = { file, faults: shown }
  return new EvalError('invalid_questions', `${file} has ${count}`, 'correct the file', details)
}
