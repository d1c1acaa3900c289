import type { Pack } from '@packs/codec/pack'
import { serveTasks } from '@packs/threads'
import { enableCompileCache } from '../user-cache/enable-compile-cache.ts'
import type { EntryMeasure, TokenizerCounts } from '../measure/measure-pack.ts'
import type { Rebuild } from './rebuild-pack.ts'

/** A decoded pack, and how many rejected phrases to list. */
export interface InspectRequest {
  readonly pack: Pack
  readonly source: string
  readonly rejected: number | undefined
}

export interface Inspection {
  readonly entries: readonly EntryMeasure[]
  readonly tokenizers: readonly TokenizerCounts[]
  readonly rebuild: Rebuild
}

enableCompileCache()
const { loadTokenizer } = await import('../user-cache/load-tokenizer.ts')
const { countInTokenizers, measureEntries } = await import('../measure/measure-pack.ts')
const { rebuildPack } = await import('./rebuild-pack.ts')

serveTasks(async ({ pack, source, rejected }: InspectRequest): Promise<Inspection> => {
  const tokenizer = await loadTokenizer(pack.tokenizer)
  return {
    entries: measureEntries(pack.content, pack.rosetta, tokenizer).toSorted((a, b) => b.net - a.net),
    tokenizers: await countInTokenizers(pack, source),
    rebuild: rebuildPack(pack, source, rejected),
  }
})
