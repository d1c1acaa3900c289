import { loadTokenizer, type TokenizerName } from '@packs/codec/compress'
import { serveTasks } from '@packs/threads'

serveTasks(async (name: TokenizerName) => ({ bytes: (await loadTokenizer(name)).serializeVocabulary() }))
