// Writes the table of character classes, asked of tiktoken. Run it again when OpenAI's tokenizers follow a newer Unicode.
import { readFileSync, writeFileSync } from 'node:fs'
import { Tiktoken } from 'tiktoken'
import {
  DIGITS,
  LETTER,
  LOWER,
  NUMBER,
  OTHER,
  RUN_CLASSES,
  SPACE,
  UPPER,
} from '../packages/codec/src/tokens/character-classes.ts'

const FILE = new URL('../packages/codec/src/tokens/character-classes.ts', import.meta.url)
const CHARACTERS = 0x110000
const PATTERNS: readonly (readonly [pattern: string, classes: number])[] = [
  ['\\p{M}', OTHER | UPPER | LOWER],
  ['\\p{N}', NUMBER],
  ['\\s', SPACE],
  ['[\\p{Lu}\\p{Lt}]', LETTER | UPPER],
  ['\\p{Ll}', LETTER | LOWER],
  ['[\\p{Lm}\\p{Lo}]', LETTER | UPPER | LOWER],
]

const classes = new Uint8Array(CHARACTERS).fill(OTHER)
for (const [pattern, value] of PATTERNS) for (const point of findMatches(pattern)) classes[point] = value

const text = writeRuns(classes)
const START = 'const RUNS: string =\n'
const source = readFileSync(FILE, 'utf8')
const start = source.indexOf(START)
const end = source.indexOf('\n\n', start)
if (start < 0 || end < 0) throw new Error(`No line ${JSON.stringify(START.trim())} in ${FILE.pathname}`)
writeFileSync(FILE, `${source.slice(0, start)}${START}  '${text}'${source.slice(end)}`)
process.stdout.write(`${text.length} characters\n`)

/** Lists the characters that a pattern of tiktoken matches, with a vocabulary of single bytes. */
function findMatches(pattern: string): number[] {
  const ranks = Array.from({ length: 256 }, (_, byte) => `${Buffer.from([byte]).toString('base64')} ${byte}`)
  const tokenizer = new Tiktoken(ranks.join('\n'), {}, pattern)
  const points: number[] = []
  for (let first = 0; first < CHARACTERS; first += 0x1000) {
    if (first >= 0xd800 && first < 0xe000) continue
    const page = Array.from({ length: 0x1000 }, (_, index) => String.fromCodePoint(first + index)).join('')
    for (const found of Buffer.from(tokenizer.encode(page, [], [])).toString('utf8'))
      points.push(found.codePointAt(0)!)
  }
  tokenizer.free()
  return points
}

/** Writes the classes as `RUNS` describes it. */
function writeRuns(values: Uint8Array): string {
  let runs = ''
  for (let start = 0; start < CHARACTERS;) {
    let end = start + 1
    while (end < CHARACTERS && values[end] === values[start]) end++
    let value = (end - start - 1) * RUN_CLASSES.length + RUN_CLASSES.indexOf(values[start]!)
    for (; value >= 32; value = Math.floor(value / 32)) runs += DIGITS[32 + (value % 32)]!
    runs += DIGITS[value]!
    start = end
  }
  return runs
}
