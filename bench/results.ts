import { cpus, totalmem } from 'node:os'
import type { BuildSpeed } from './build-speed.ts'
import type { CompressSpeed } from './compress-speed.ts'
import type { DecodeSpeed } from './decode-speed.ts'
import type { PeerRow } from './peers.ts'
import type { VariantSavings } from './savings.ts'

/** Results of a run. A part that was not requested is empty. */
export interface BenchResults {
  readonly corpus: {
    readonly name: 'corpus' | 'examples'
    /** Only some of the documents were measured. */
    readonly sample: boolean
    readonly documents: number
    readonly bytes: number
    readonly tokens: number
  }
  readonly machine: {
    readonly cpu: string
    readonly cores: number
    readonly memoryGB: number
    readonly node: string
  }
  readonly savings: readonly VariantSavings[]
  readonly speed: readonly CompressSpeed[]
  readonly decode: readonly DecodeSpeed[]
  readonly build: readonly BuildSpeed[]
  readonly peers: readonly PeerRow[]
}

/** Describes the machine without naming a host or a path. */
export function describeMachine(): BenchResults['machine'] {
  return {
    cpu: cpus()[0]?.model ?? 'unknown',
    cores: cpus().length,
    memoryGB: Math.round(totalmem() / 2 ** 30),
    node: process.version,
  }
}
