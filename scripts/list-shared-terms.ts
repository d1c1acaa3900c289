// Writes the table of terms that are one token in both tokenizers. Run it again after adding or changing a tokenizer.
import { readFileSync, writeFileSync } from 'node:fs'
import { listSymbols } from '../packages/codec/src/compress/terms/symbol-table.ts'
import { loadTokenizer } from '../packages/codec/src/tokens/index.ts'

const CAPITALS = Array.from('ABCDEFGHIJKLMNOPQRSTUVWXYZ')
const ROW = 96
const FILE = new URL('../packages/codec/src/compress/terms/shared-terms.ts', import.meta.url)

const tokenizers = await Promise.all([loadTokenizer('o200k_base'), loadTokenizer('cl100k_base')])
const isShared = (text: string): boolean => tokenizers.every((tokenizer) => tokenizer.isOneToken(text))

const pairs = CAPITALS.flatMap((one) => CAPITALS.map((two) => one + two))
const triples = pairs.flatMap((pair) => CAPITALS.map((three) => pair + three))
const symbols = [...new Set(tokenizers.flatMap((each) => listSymbols(each).map(({ term }) => term)))].sort()

const tables = [
  ['SHARED_PAIRS', 'Pairs of capitals, after a space', pairs.filter((term) => isShared(` ${term}`))],
  ['SHARED_TRIPLES', 'Triples of capitals, after a space', triples.filter((term) => isShared(` ${term}`))],
  ['SHARED_SYMBOLS', 'Symbols', symbols.filter(isShared)],
  ['SHARED_SPACED_SYMBOLS', 'Symbols, after a space', symbols.filter((term) => isShared(` ${term}`))],
] as const

const parts = tables.map(([name, meaning, terms]) => {
  const rows = Array.from({ length: Math.ceil(terms.length / (ROW / terms[0]!.length)) }, (_, row) => {
    const size = ROW / terms[0]!.length
    return `  '${terms.slice(row * size, (row + 1) * size).join('')}'`
  })
  return `/** ${meaning}. */\nexport const ${name}: string =\n${rows.join(' +\n')}\n`
})
const head = [
  '// Written by scripts/list-shared-terms.ts: terms that are one token in o200k_base and in cl100k_base, concatenated.',
  '// A table, because loading a second tokenizer takes a quarter of a second.',
]
const END = '\n// End of the written table.\n'
const [, rest] = readFileSync(FILE, 'utf8').split(END)
if (rest === undefined) throw new Error(`No line ${JSON.stringify(END.trim())} in ${FILE.pathname}`)
writeFileSync(FILE, `${head.join('\n')}\n\n${parts.join('\n')}${END}${rest}`)
process.stdout.write(`${tables.map(([name, , terms]) => `${name} ${terms.length}`).join('\n')}\n`)
