// Child process of build-speed.ts: counts the tokens of all files of a folder once, with the tokenizer of the codec.
import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { loadTokenizer } from '@packs/codec/compress'

const [folder = '.'] = process.argv.slice(2)
const tokenizer = await loadTokenizer('o200k_base')
let tokens = 0
for (const name of await readdir(folder, { recursive: true })) {
  if (name.endsWith('.md')) tokens += tokenizer.countTokens(await readFile(join(folder, name), 'utf8'))
}
process.stdout.write(`${tokens}\n`)
