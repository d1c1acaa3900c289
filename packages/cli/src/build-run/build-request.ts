import type { Scheme } from '@packs/codec'
import type { TokenizerName } from '@packs/codec/tokens'

/** What the command line asks of every source; it goes before the front matter. */
export interface BuildOverrides {
  readonly scheme?: Scheme
  readonly code?: boolean
  readonly tokenizer?: TokenizerName
  /** Most tokens of a pack, header included. */
  readonly budget?: number
  readonly effort?: 'fast' | 'best'
}

/** One source to build; plain data, so that it can be sent to a worker. */
export interface BuildRequest {
  /** Absolute path, or `-` with `bytes` given. */
  readonly path: string
  readonly shown: string
  readonly bytes?: Uint8Array
  readonly overrides: BuildOverrides
}
