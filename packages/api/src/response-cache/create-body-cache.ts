import { type Body, type BodySource, createBody } from './body.ts'

/** Ready bodies by name, those used last. */
export interface BodyCache {
  get(name: string): Body | undefined
  /** Gives the body of a name, made where it is not there; made once however many ask at the same time. */
  obtain(name: string, make: () => Promise<BodySource>): Promise<Body>
  /** Bytes that are kept. */
  bytes(): number
}

/** What an entry takes besides its bytes. */
const OVERHEAD = 1000

/** Creates a cache that keeps at most so many bytes; a body over an eighth of them is made and not kept. */
export function createBodyCache(mostBytes: number): BodyCache {
  const kept = new Map<string, { readonly body: Body; counted: number }>()
  const pending = new Map<string, Promise<Body>>()
  let total = 0

  const drop = (name: string): void => {
    const entry = kept.get(name)
    if (entry === undefined) return
    kept.delete(name)
    total -= entry.counted
  }

  const count = (name: string, body: Body): void => {
    const entry = kept.get(name)
    if (entry?.body !== body) return
    const size = body.size() + OVERHEAD
    total += size - entry.counted
    entry.counted = size
    for (const [oldest] of kept) {
      if (total <= mostBytes) break
      drop(oldest)
    }
  }

  const make = async (name: string, source: () => Promise<BodySource>): Promise<Body> => {
    try {
      const body: Body = createBody(await source(), () => count(name, body))
      if (body.size() > mostBytes / 8) return body
      drop(name)
      kept.set(name, { body, counted: 0 })
      count(name, body)
      return body
    } finally {
      pending.delete(name)
    }
  }

  const get = (name: string): Body | undefined => {
    const entry = kept.get(name)
    if (entry === undefined) return undefined
    kept.delete(name)
    kept.set(name, entry)
    return entry.body
  }

  return {
    get,
    obtain(name, source) {
      const known = get(name)
      if (known !== undefined) return Promise.resolve(known)
      const other = pending.get(name)
      if (other !== undefined) return other
      const made = make(name, source)
      pending.set(name, made)
      return made
    },
    bytes: () => total,
  }
}
