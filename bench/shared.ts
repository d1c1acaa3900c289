// One header for the documents of a domain: a table on stdout and in bench/results/shared.md.
// `node -C source bench/shared.ts [DOMAIN …]`
import { writeFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import { decode } from '@packs/codec'
import { compress, compressTogether, type CompressOptions } from '@packs/codec/compress'
import { loadCorpus, type BenchDocument } from './documents.ts'
import { formatTable } from './markdown-table.ts'
import { createProgress } from './progress.ts'
import { countTokens } from './reference-tokenizer.ts'

const SCHEMES = ['glossary-1', 'dense-1', 'max-1'] as const
const HEAD = [
  'domain',
  'documents',
  'tokens',
  'scheme',
  'apart',
  'shared',
  'each alone',
  'pays from',
  'not restored',
]
const INTRO = `# One header for a domain

Net savings in percent of the sources' tokens, all documents of a folder pooled. Apart: each document with its own header. Shared: all
contents and, once, the entries of the header that they use. Each alone: each shared pack with its own part of the
header. Pays from: the smallest number of documents, in order of their names, from which shared costs less than apart.`

const root = fileURLToPath(new URL('..', import.meta.url))
const wanted = process.argv.slice(2)
const { documents } = await loadCorpus(root)
const domains = Map.groupBy(documents, ({ file }) => file.split('/').slice(0, -1).join('/') || 'all')
const chosen = [...domains].filter(
  ([name, own]) => own.length > 1 && (wanted.length === 0 || wanted.includes(name)),
)
const advance = createProgress('sharing', chosen.length * SCHEMES.length)
const rows = chosen.flatMap(([name, own]) =>
  SCHEMES.map((scheme) => {
    const row = measureDomain(name, own, { scheme })
    advance()
    return row
  }),
)
const page = `${INTRO}\n\n${formatTable(HEAD, rows)}\n`
process.stdout.write(page)
if (wanted.length === 0) await writeFile(new URL('./results/shared.md', import.meta.url), page)

function measureDomain(name: string, own: readonly BenchDocument[], options: CompressOptions): string[] {
  const texts = own.map(({ text }) => text)
  const { compressions, rosetta, headerTokens } = compressTogether(texts, options)
  const wrong = compressions.filter(
    (one, at) => decode(one.content, rosetta) !== texts[at] || decode(one.content, one.rosetta) !== texts[at],
  )
  const source = sum(own.map(({ tokens }) => tokens))
  const contents = compressions.map(({ content }) => countTokens(content))
  const apart = texts.map((text) => countAlone(compress(text, options)))
  const shared = headerTokens.map((header, at) => sum(contents.slice(0, at + 1)) + header)
  const behind = shared.findLastIndex((paid, at) => paid >= sum(apart.slice(0, at + 1)))
  const percent = (paid: number): string => (100 * (1 - paid / source)).toFixed(2)
  return [
    name,
    String(own.length),
    source.toLocaleString('en-US'),
    options.scheme ?? '',
    percent(sum(apart)),
    percent(shared.at(-1)!),
    percent(sum(compressions.map(countAlone))),
    behind + 1 < own.length ? String(behind + 2) : 'never',
    String(wrong.length),
  ]
}

function countAlone({ content, rosetta, scheme }: ReturnType<typeof compress>): number {
  return countTokens(content) + (scheme === 'none' ? 0 : countTokens(rosetta))
}

function sum(counts: readonly number[]): number {
  return counts.reduce((total, count) => total + count, 0)
}
