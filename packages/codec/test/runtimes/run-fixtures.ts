import type * as Codec from '../../src/index.ts'
import type {
  AnswerCase,
  DecodeCase,
  FixtureFile,
  FixtureText,
  ParseCase,
  ResolveCase,
  RestoreCase,
  SerializeCase,
  StreamCase,
} from './fixture-types.ts'

export interface FixtureRun {
  readonly cases: number
  /** One line for each case with another result. */
  readonly failures: readonly string[]
}

/** Runs fixtures by SPEC.md §12 without anything that a runtime may lack: no test framework, file or dependency. */
export function runFixtures(codec: typeof Codec, files: readonly FixtureFile[]): FixtureRun {
  const failures: string[] = []
  let cases = 0
  const check = (name: string, expected: unknown, run: () => unknown): void => {
    const [wanted, found] = [show(expected), show(attempt(run, expected))]
    if (wanted !== found) failures.push(`${name}: expected ${cut(wanted)}, found ${cut(found)}`)
  }
  for (const file of files) {
    cases += file.cases.length
    if (file.kind === 'parse') for (const one of file.cases) checkParse(codec, one, check)
    else if (file.kind === 'serialize') for (const one of file.cases) checkSerialize(codec, one, check)
    else if (file.kind === 'decode') for (const one of file.cases) checkDecode(codec, one, check)
    else if (file.kind === 'answer') for (const one of file.cases) checkAnswer(codec, one, check)
    else if (file.kind === 'restore') for (const one of file.cases) checkRestore(codec, one, check)
    else if (file.kind === 'resolve') for (const one of file.cases) checkResolve(codec, one, check)
    else for (const one of file.cases) checkStream(codec, one, check)
  }
  return { cases, failures }
}

type Check = (name: string, expected: unknown, run: () => unknown) => void

function checkParse(codec: typeof Codec, one: ParseCase, check: Check): void {
  const header = write(one.header)
  const options = one.lenient ? { lenient: true } : {}
  check(one.name, one.error ?? one.entries, () => codec.parseRosetta(header, options).entries)
  if (one.canonical === undefined) return
  const canonical = one.canonical === true ? header : one.canonical
  check(`${one.name}, written`, canonical, () => codec.serializeRosetta(codec.parseRosetta(header)))
}

function checkSerialize(codec: typeof Codec, one: SerializeCase, check: Check): void {
  const entries = one.entries.map(({ term, expansion }) => ({
    term: write(term),
    expansion: write(expansion),
  }))
  check(one.name, one.error ?? write(one.header!), () => codec.serializeRosetta({ entries }))
}

function checkDecode(codec: typeof Codec, one: DecodeCase, check: Check): void {
  const rosetta = write(one.rosetta)
  const content = write(one.content)
  const expected = one.error ?? write(one.output!)
  const options = one.maxOutput === undefined ? {} : { maxOutput: one.maxOutput }
  check(one.name, expected, () => codec.decode(content, rosetta, options))
  const decodeChunks = (chunks: readonly string[]): string =>
    join(codec.createDecoder(rosetta, options), chunks)
  if (one.whole) check(`${one.name}, in one chunk`, expected, () => decodeChunks([content]))
  else checkChunks(content, (name, chunks) => check(one.name + name, expected, () => decodeChunks(chunks)))
}

function checkAnswer(codec: typeof Codec, one: AnswerCase, check: Check): void {
  const rosetta = write(one.rosetta)
  const answer = write(one.answer)
  const expected = one.error ?? write(one.output!)
  const options = one.maxOutput === undefined ? {} : { maxOutput: one.maxOutput }
  check(one.name, expected, () => codec.decodeAnswer(answer, rosetta, options))
  if (one.uses) check(`${one.name}, uses`, one.uses, () => codec.listTerms(answer, rosetta))
  checkChunks(answer, (name, chunks) =>
    check(one.name + name, expected, () => join(codec.createAnswerDecoder(rosetta, options), chunks)),
  )
}

function checkRestore(codec: typeof Codec, one: RestoreCase, check: Check): void {
  const [content, rosetta] = [write(one.content), write(one.rosetta)]
  check(one.name, one.error ?? write(one.output!), () =>
    codec.restore({ content, rosetta, patch: one.patch }),
  )
}

function checkResolve(codec: typeof Codec, one: ResolveCase, check: Check): void {
  const [answer, expected] = [write(one.answer), write(one.output)]
  check(one.name, expected, () => codec.resolveLinks(answer, one.links))
  checkChunks(answer, (name, chunks) =>
    check(one.name + name, expected, () => join(codec.createLinkResolver(one.links), chunks)),
  )
}

/** Checks a text in one chunk, in two for every place between two units, and unit by unit. */
function checkChunks(text: string, check: (name: string, chunks: readonly string[]) => void): void {
  check(', in one chunk', [text])
  for (let at = 1; at < text.length; at++) check(`, cut at ${at}`, [text.slice(0, at), text.slice(at)])
  check(', unit by unit', text.split(''))
}

function join({ push, end }: Codec.Decoder, chunks: readonly string[]): string {
  return chunks.map(push).join('') + end()
}

function checkStream(codec: typeof Codec, one: StreamCase, check: Check): void {
  const decoder = codec.createDecoder(write(one.rosetta))
  check(one.name, one.outputs, () => one.chunks.map((chunk) => decoder.push(chunk)))
  check(`${one.name}, at the end`, one.rest, () => decoder.end())
  if (one.afterEnd) check(`${one.name}, after the end`, one.afterEnd, () => decoder.push(''))
}

/** The parts of an error that `expected` names. */
function attempt(run: () => unknown, expected: unknown): unknown {
  try {
    return run()
  } catch (error) {
    const names = typeof expected === 'object' && expected !== null ? Object.keys(expected) : ['code']
    return Object.fromEntries(names.map((name) => [name, (error as Record<string, unknown>)[name]]))
  }
}

function write(text: FixtureText): string {
  if (typeof text === 'string') return text
  if (Array.isArray(text)) return text.map(write).join('')
  if ('repeat' in text) return text.repeat.repeat(text.times)
  const [before, after] = [write(text.before), write(text.after)]
  return Array.from({ length: text.numbered }, (_, number) => before + number + after).join(text.between)
}

function show(value: unknown): string {
  return JSON.stringify(value)
}

function cut(text: string): string {
  return text.length > 200 ? `${text.slice(0, 200)}…` : text
}
