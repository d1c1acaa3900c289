import { openUserFolder } from '@packs/files'
import { loadTokenizer as load, TokenError, type Tokenizer, type TokenizerName } from '@packs/codec/compress'
import { loadOnce, VOCABULARY_VERSION } from '@packs/codec/internal'
import { createStoredResults } from './stored-results.ts'

const entries = createStoredResults()

const tokenizers = new Map<TokenizerName, () => Promise<Tokenizer>>()

/**
 * Building a vocabulary takes longer than a small build, so it is stored in the user's cache. One
 * that is damaged is replaced.
 * @param folder where vocabularies are stored
 */
export function loadTokenizer(name: TokenizerName, folder?: string): Promise<Tokenizer> {
  let tokenizer = tokenizers.get(name)
  if (tokenizer === undefined)
    tokenizers.set(name, (tokenizer = loadOnce(() => loadStored(name, folder ?? openUserFolder()))))
  return tokenizer()
}

async function loadStored(name: TokenizerName, folder: string | undefined): Promise<Tokenizer> {
  if (folder === undefined) return load(name)
  const key = `vocabulary ${VOCABULARY_VERSION} ${name}`
  const vocabulary = entries.read(folder, key)
  if (typeof vocabulary === 'object') {
    try {
      return await load(name, { vocabulary })
    } catch (error) {
      if (!(error instanceof TokenError) || error.code !== 'invalid_vocabulary') throw error
    }
  }
  const tokenizer = await load(name)
  try {
    entries.write(folder, key, tokenizer.serializeVocabulary())
  } catch {
    // The next run builds the vocabulary again.
  }
  return tokenizer
}
