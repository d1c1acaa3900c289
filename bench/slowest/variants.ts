import type { CompressOptions } from '@packs/codec/compress'
import type { WorkName } from './time-text.ts'

/** What is timed of a text. */
export interface Timing {
  /** Name of the column. */
  readonly name: string
  readonly work: WorkName
  readonly options: CompressOptions
  readonly bytes: number
}

/** The schemes and options whose compression is timed in all sizes. */
export const VARIANTS: readonly Omit<Timing, 'bytes'>[] = [
  { name: 'glossary-1', work: 'compress', options: { scheme: 'glossary-1' } },
  { name: 'glossary-1 code', work: 'compress', options: { scheme: 'glossary-1', code: true } },
  { name: 'dense-1', work: 'compress', options: { scheme: 'dense-1' } },
  { name: 'max-1', work: 'compress', options: { scheme: 'max-1' } },
]

const AT = 100_000

/** Everything else that is done with a text, and the other settings, at 100 KB. */
export const WORKS: readonly Timing[] = [
  {
    name: 'dense-1 cl100k_base',
    work: 'compress',
    options: { scheme: 'dense-1', tokenizer: 'cl100k_base' },
    bytes: AT,
  },
  { name: 'dense-1 best', work: 'compress', options: { scheme: 'dense-1', effort: 'best' }, bytes: AT },
  { name: 'build', work: 'build', options: { scheme: 'glossary-1' }, bytes: AT },
  { name: 'read', work: 'read', options: { scheme: 'glossary-1' }, bytes: AT },
  { name: 'read max-1', work: 'read', options: { scheme: 'max-1' }, bytes: AT },
  { name: 'explain', work: 'explain', options: { scheme: 'glossary-1' }, bytes: AT },
]
