import { CatalogError, type Catalog } from '@packs/catalog'
import { actor } from '../../../test-kit/test/make-version.ts'

export interface Task {
  readonly kind: 'version' | 'hold' | 'fail' | 'damage' | 'crash' | 'write'
  /** While its first number is 0, `hold` blocks the thread. The second counts the tasks that run. */
  readonly gate?: SharedArrayBuffer
}

export interface Result {
  readonly version?: string | undefined
  readonly bytes?: Uint8Array
}

export async function work({ packs }: Catalog, { kind, gate }: Task): Promise<Result> {
  switch (kind) {
    case 'version': {
      const found = await packs.latest('tls')
      return { version: found?.version, bytes: new Uint8Array(1_000_000).fill(7) }
    }
    case 'hold': {
      const numbers = new Int32Array(gate!)
      Atomics.add(numbers, 1, 1)
      Atomics.notify(numbers, 1)
      Atomics.wait(numbers, 0, 0)
      return {}
    }
    case 'fail':
      throw new TypeError('a mistake')
    case 'damage':
      throw new CatalogError('catalog_damaged', 'broken', 'restore', {
        damaged: { slug: 'a', version: '1.0.0' },
      })
    case 'crash':
      process.exit(1)
      break
    case 'write':
      await packs.yank('tls', '1.0.0', 'wrong', actor)
  }
  return {}
}
