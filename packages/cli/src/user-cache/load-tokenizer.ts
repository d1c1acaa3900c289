import { readdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { openUserFolder, readFile, writePrivately } from '@packs/client/user-folder'
import {
  loadTokenizer as load,
  TokenError,
  VOCABULARY_VERSION,
  type Tokenizer,
  type TokenizerName,
} from '@packs/codec/tokens'

/** About ten times the size of the largest vocabulary. */
const MAX_BYTES = 64 * 1024 * 1024

const tokenizers = new Map<TokenizerName, Promise<Tokenizer>>()

/**
 * Loads a tokenizer once for this thread, also for the codec. Its vocabulary comes from the user's cache if an earlier run stored
 * it: building it takes longer than a small build. A stored vocabulary that is not sound is replaced.
 *
 * @param folder where vocabularies are stored
 * @throws TokenError `unknown_tokenizer`
 */
export function loadTokenizer(name: TokenizerName, folder?: string): Promise<Tokenizer> {
  let tokenizer = tokenizers.get(name)
  if (tokenizer === undefined)
    tokenizers.set(name, (tokenizer = loadStored(name, folder ?? openUserFolder())))
  return tokenizer
}

async function loadStored(name: TokenizerName, folder: string | undefined): Promise<Tokenizer> {
  if (folder === undefined) return load(name)
  const prefix = `vocabulary-${name}-`
  const file = `${prefix}${VOCABULARY_VERSION}`
  const vocabulary = readFile(join(folder, file), MAX_BYTES, true)
  if (vocabulary !== undefined) {
    try {
      return await load(name, { vocabulary })
    } catch (error) {
      if (!(error instanceof TokenError) || error.code !== 'invalid_vocabulary') throw error
    }
  }
  const tokenizer = await load(name)
  try {
    writePrivately(join(folder, file), tokenizer.serializeVocabulary())
    for (const other of readdirSync(folder)) {
      if (other.startsWith(prefix) && other !== file) rmSync(join(folder, other), { force: true })
    }
  } catch {
    // The next run builds the vocabulary again.
  }
  return tokenizer
}
