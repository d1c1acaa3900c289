// `pnpm bench:answers`: how many natural texts decoding changes. A run over the shared corpus is saved as bench/results/answers.md.
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { parseRosetta, type Rosetta, type Scheme } from '@packs/codec'
import { composePrompt } from '@packs/codec/prompt'
import { type Changes, countChanges, type Output } from './answers/count-changes.ts'
import { loadCorpus, type BenchDocument } from './documents.ts'
import { formatTable } from './markdown-table.ts'
import { createProgress } from './progress.ts'

const SCHEMES: readonly Scheme[] = ['glossary-1', 'dense-1', 'max-1']
/** Documents of a prompt. */
const SIZE = 15

const INTRO = `# Answers

How many texts \`decodeAnswer\` changes, and how many \`decode\` would change. None of them has a term of a header in it, so every change is
wrong. The columns say how many texts at least one header changes, and the share of all pairs of text and header that change.`

/** Outputs, and headers to decode them with. */
interface Part {
  readonly title: string
  readonly about: string
  readonly rows: readonly { readonly name: string; readonly changes: readonly Changes[] }[]
}

const root = fileURLToPath(new URL('..', import.meta.url))
const outputs = JSON.parse(
  readFileSync(new URL('answers/outputs.json', import.meta.url), 'utf8'),
) as readonly Output[]
const corpus = await loadCorpus(root)
const headers = composeHeaders(listSets(corpus.documents))
const study = new URL('reading/', import.meta.url)
const natural = measureOutputs()
const parts = [natural, measureStudy()]
const goals = checkGoals(natural)
const markdown = `${[INTRO, ...parts.map(formatPart), goals.text].join('\n\n')}\n`
process.stdout.write(markdown)
if (corpus.name === 'corpus') writeFileSync(new URL('results/answers.md', import.meta.url), markdown)
if (!goals.areMet) process.exitCode = 1

/** Sets of neighbouring documents, and as many of documents from everywhere. */
function listSets(documents: readonly BenchDocument[]): BenchDocument[][] {
  const count = Math.ceil(documents.length / SIZE)
  const sets = Array.from({ length: count }, (_, set) => [
    documents.slice(set * SIZE, (set + 1) * SIZE),
    documents.filter((__, at) => at % count === set),
  ])
  return count === 1 ? [sets[0]![0]!] : sets.flat()
}

/** Composes a prompt of each set under each scheme, and returns their headers. */
function composeHeaders(sets: readonly BenchDocument[][]): Map<Scheme, Rosetta[]> {
  const advance = createProgress('prompts', SCHEMES.length * sets.length)
  const compose = (documents: readonly BenchDocument[], scheme: Scheme): Rosetta => {
    const packs = documents.map(({ file, text, tokens }) => ({
      title: file,
      slug: file,
      content: text,
      rosetta: '[DECODE]',
      compression: 'none' as const,
      token_count: tokens,
      rosetta_tokens: 0,
      uncompressed_estimate: tokens,
    }))
    const { rosetta } = composePrompt(packs, { scheme })
    advance()
    return parseRosetta(rosetta)
  }
  return new Map(SCHEMES.map((scheme) => [scheme, sets.map((documents) => compose(documents, scheme))]))
}

function measureOutputs(): Part {
  const terms = [...headers].map(([scheme, list]) => {
    const counts = list.map(({ entries }) => entries.length)
    return `${scheme} ${Math.min(...counts)} to ${Math.max(...counts)}`
  })
  return {
    title: 'Natural outputs',
    about: `${outputs.length} outputs in ${new Set(outputs.map(({ language }) => language)).size} languages, written by somebody who has seen no header,
with the headers of prompts of up to ${SIZE} documents of the ${corpus.name}. Terms of a header: ${terms.join(', ')}. _Mixed_ outputs mix scripts on
purpose: they name single letters (“the character 水 means water”), which \`decodeAnswer\` takes for terms.`,
    rows: [...headers].map(([name, list]) => ({ name, changes: countChanges(outputs, list) })),
  }
}

/** Measures what a model wrote in the study of reading, with the headers of its prompts and with those above. */
function measureStudy(): Part {
  const read = (folder: string): string[] =>
    readdirSync(new URL(folder, study))
      .toSorted()
      .map((name) => readFileSync(new URL(folder + name, study), 'utf8'))
  const answers = read('answers/').flatMap((text) =>
    Object.values(JSON.parse(text) as Record<string, string>),
  )
  const written = answers.map((text) => ({ language: 'en', kind: 'answer', text }))
  const own = read('prompts/').flatMap((text) => /^\[DECODE\] .*$/m.exec(text)?.slice(0, 1) ?? [])
  const all: (readonly [string, readonly Rosetta[]])[] = [
    ['of the study', own.map((header) => parseRosetta(header))],
    ...headers,
  ]
  return {
    title: 'Answers of a model',
    about:
      'What a model wrote in the study of reading, in all its runs: answers to questions, and writing tasks.',
    rows: all.map(([name, list]) => ({ name, changes: countChanges(written, list, () => 'answers') })),
  }
}

function formatPart({ title, about, rows }: Part): string {
  const cells = rows.flatMap(({ name, changes }) =>
    changes.map(({ group, outputs: all, headers: count, decodeAnswer, decode }) => [
      name,
      String(count),
      group,
      String(all),
      ...[decodeAnswer, decode].flatMap((changed) => [
        String(changed.outputs),
        formatShare(changed.pairs, all * count),
      ]),
    ]),
  )
  const head = ['headers', 'number', 'group', 'texts', 'decodeAnswer', 'pairs', 'decode', 'pairs']
  return `## ${title}\n\n${about}\n\n${formatTable(head, cells)}`
}

function formatShare(pairs: number, all: number): string {
  return `${((100 * pairs) / all).toFixed(2)} %`
}

/** Compares what `decodeAnswer` changes with the goals, which leave out the mixed outputs. */
function checkGoals({ rows }: Part): { readonly areMet: boolean; readonly text: string } {
  const find = (wanted: string): Changes[] =>
    rows.flatMap(({ changes }) => changes.filter(({ group }) => group === wanted))
  const shares = (group: string): number[] =>
    find(group).map(({ decodeAnswer, outputs: all }) => (100 * decodeAnswer.outputs) / all)
  const goals = [
    { group: 'other languages', most: 0 },
    { group: 'zh, ja, ko, th', most: 1 },
  ].map((goal) => ({ ...goal, found: Math.max(...shares(goal.group)) }))
  const cells = goals.map(({ group, most, found }) => [
    group,
    `${found.toFixed(2)} %`,
    `≤ ${most} %`,
    found <= most ? 'met' : 'missed',
  ])
  return {
    areMet: goals.every(({ most, found }) => found <= most),
    text: `## Goals\n\nTexts that \`decodeAnswer\` changes under the worst scheme.\n\n${formatTable(['group', 'changed', 'goal', ''], cells)}`,
  }
}
