// Step of `pnpm start`: prints commands for the packs that were just built.
import { readdirSync } from 'node:fs'

const folder = '.packs/examples'
const packs = readdirSync(folder)
  .filter((name) => name.endsWith('.pack.json'))
  .sort()
const first = `${folder}/${packs[0] ?? 'SLUG.pack.json'}`

const steps = [
  [`npx pack decode ${first} --with-front-matter`, 'the source file, byte for byte'],
  [`npx pack inspect ${first}`, 'what each entry saves'],
  [`npx pack prompt ${first}`, 'the text for a system prompt'],
  ['npx pack init my-pack', 'a first source of your own'],
  ['npx pack --help', 'everything else'],
]
const width = Math.max(...steps.map(([command = '']) => command.length))
const lines = steps.map(([command = '', purpose = '']) => `  ${command.padEnd(width)}   ${purpose}\n`)
process.stdout.write(`\n${packs.length} packs are in ${folder}. Next:\n\n${lines.join('')}`)
