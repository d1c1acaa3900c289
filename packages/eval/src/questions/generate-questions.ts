import type { RosettaEntry } from '@packs/codec'
import type { AskedModel, CallOptions } from '../calls/ask-model.ts'
import type { Call } from '../calls/call-store.ts'
import type { CallRunner } from '../calls/run-calls.ts'
import { EvalError } from '../eval-error.ts'
import { QUESTION_KINDS, type Question } from '../types.ts'
import { type Draft, nameQuestion, readDraft } from './read-questions.ts'

interface QuestionSource {
  readonly slug: string
  readonly text: string
  /** Entries of its densest scheme. */
  readonly terms: readonly RosettaEntry[]
}

/** Most UTF-16 units of a passage. */
const PASSAGE_LENGTH = 1500
const PER_PASSAGE = 2
const MAX_ROUNDS = 3

interface Passage {
  readonly text: string
  readonly phrases: readonly string[]
}

/**
 * Lets a model write questions about documents, half of them about passages that have entries of
 * the densest scheme. A question counts only if its evidence is in the passage word for word (and,
 * for that half, has a phrase that an entry replaces). The passages are spread over the document;
 * the same documents and options give the same calls.
 * @param wanted questions for each document; fewer come back if the model wrote too few that are
 *   usable
 */
export async function generateQuestions(
  sources: readonly QuestionSource[],
  wanted: number,
  model: AskedModel,
  options: CallOptions,
  runner: CallRunner,
): Promise<readonly Question[]> {
  const questions: Question[] = []
  for (const { slug, text, terms } of sources) {
    const passages = splitPassages(text, terms)
    const [covered, plain] = [passages.filter(isCovered), passages.filter((one) => !isCovered(one))]
    const half = plain.length === 0 ? wanted : covered.length === 0 ? 0 : Math.ceil(wanted / 2)
    const found = new Map<string, Question>()
    const ask = async (some: readonly Passage[], enough: number): Promise<void> => {
      for (let round = 0; round < MAX_ROUNDS && found.size < enough && some.length > 0; round++) {
        const drafts = await askRound(some, enough - found.size, round, model, options, runner)
        for (const draft of drafts) {
          const id = `${slug}-${String(found.size + 1).padStart(2, '0')}`
          const question = { ...draft, id, doc: slug }
          const name = nameQuestion(question)
          if (found.size < enough && !found.has(name)) found.set(name, question)
        }
      }
    }
    await ask(covered, half)
    await ask(plain, found.size + wanted - half)
    questions.push(...found.values())
  }
  if (questions.length > 0) return questions
  const problem = `${model.name} wrote no usable question: a list in JSON whose evidence is in the text word for word`
  const hint = 'let a larger model write them in a run of its own, or write them with --questions'
  throw new EvalError('endpoint_failed', problem, hint)
}

function isCovered({ phrases }: Passage): boolean {
  return phrases.length > 0
}

/** Cuts a text after a paragraph, a line or a word. */
function splitPassages(text: string, terms: readonly RosettaEntry[]): readonly Passage[] {
  const passages: string[] = []
  for (let at = 0; at < text.length; at += passages.at(-1)!.length) {
    const piece = text.slice(at, at + PASSAGE_LENGTH)
    const ends = ['\n\n', '\n\r\n', '\n', ' '].map((end) => piece.lastIndexOf(end) + end.length)
    const cut = ends.find((end) => end > PASSAGE_LENGTH / 2)
    passages.push(piece.slice(0, cut))
  }
  const phrases = terms.map(({ expansion }) => expansion).filter((phrase) => phrase.trim().length > 3)
  return passages
    .filter((passage) => passage.length > 200)
    .map((passage) => ({ text: passage, phrases: phrases.filter((phrase) => passage.includes(phrase)) }))
}

/** Asks for questions about passages, other ones in each round. */
async function askRound(
  passages: readonly Passage[],
  wanted: number,
  round: number,
  model: AskedModel,
  options: CallOptions,
  runner: CallRunner,
): Promise<readonly Draft[]> {
  const count = Math.ceil(wanted / PER_PASSAGE)
  const step = passages.length / count
  const chosen = Array.from(
    { length: count },
    (_, at) => passages[Math.floor((at + (round + 0.5) / MAX_ROUNDS) * step)]!,
  )
  const calls = chosen.map((passage, at): Call => ({
    prompt: writeRequest(passage, round * 3 + at),
    model,
    options,
    // A passage may be asked about twice.
    replicate: round * 1000 + chosen.slice(0, at).filter((one) => one === passage).length,
  }))
  const answers = await runner.run(calls)
  return answers.flatMap(({ text }, at) => readDrafts(text, chosen[at]!).slice(0, PER_PASSAGE))
}

const KINDS = QUESTION_KINDS.filter((kind) => kind !== 'two-places')

function writeRequest({ text, phrases }: Passage, at: number): Call['prompt'] {
  const kinds = [KINDS[(2 * at) % KINDS.length]!, KINDS[(2 * at + 1) % KINDS.length]!, 'two-places']
  const cover =
    phrases.length === 0
      ? ''
      : `\n- The evidence contains at least one of these phrases: ${JSON.stringify(phrases.slice(0, 30))}`
  return {
    system: 'You write questions that test whether a reader has understood a text. You reply with JSON only.',
    user: `Write ${PER_PASSAGE} questions about the passage below, as a JSON array of objects:
{"kind": …, "question": …, "answer": …, "accept": [other wordings that are right], "evidence": [sentences or parts of sentences]}
- "kind" is one of ${JSON.stringify(kinds)}; prefer different ones. fact: a name, a place or a statement; quote: asks for one sentence word for word; number: a number with its unit; identifier: a code, name of a field, path or version; condition: what happens if; count: how many of something there are; two-places: needs two parts of the passage.
- The question makes sense to somebody who has the whole document, not only the passage, and has one right answer, which only this text gives.
- The answer is as short as possible.
- The evidence is copied from the passage character by character, markdown included, and the answer follows from it.${cover}

Passage, as data:
${JSON.stringify(text)}`,
  }
}

function readDrafts(reply: string, { text, phrases }: Passage): readonly Draft[] {
  let values: unknown
  try {
    values = JSON.parse(reply.slice(reply.search(/\[\s*\{/), reply.lastIndexOf(']') + 1))
  } catch {
    return []
  }
  return (Array.isArray(values) ? values : []).flatMap((value) => {
    const data = readDraft(value)
    if (data === undefined || !data.evidence.every((one) => text.includes(one))) return []
    const isBeside =
      phrases.length > 0 && !phrases.some((phrase) => data.evidence.some((one) => one.includes(phrase)))
    return isBeside || (data.kind === 'quote' && !text.includes(data.answer)) ? [] : [data]
  })
}
