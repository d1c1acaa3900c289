import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { readSource, type PublishRequest } from '@packs/publisher'

/** A kind of source used to measure publishing. */
export interface SourceKind {
  readonly name: string
  /** Mean length in UTF-8 bytes. */
  readonly bytes: number
  /** Number of sources published one after the other. */
  readonly count: number
  /** Creates a request with a different source for the pack with this slug. */
  createRequest(slug: string): PublishRequest
}

const NOTE_LENGTH = 2000

/** Creates notes of 2,000 characters and whole documents from the example packs. */
export function createSourceKinds(root: string, isQuick: boolean): readonly SourceKind[] {
  const folder = join(root, 'examples/packs')
  const bodies = readdirSync(folder)
    .filter((file) => file.endsWith('.md'))
    .map((file) => readFileSync(join(folder, file), 'utf8').replace(/^---\n[^]*?\n---\n/, ''))
  const notes = bodies.flatMap((body) => body.match(new RegExp(`[^]{${NOTE_LENGTH}}`, 'gu')) ?? [])
  return [createKind('note', notes, isQuick ? 30 : 100), createKind('document', bodies, isQuick ? 10 : 40)]
}

function createKind(name: string, bodies: readonly string[], count: number): SourceKind {
  let next = 0
  const bytes = bodies.reduce((sum, body) => sum + Buffer.byteLength(body), 0) / bodies.length
  return {
    name,
    bytes,
    count,
    createRequest(slug) {
      const body = bodies[next++ % bodies.length] ?? ''
      const fields = `slug: ${slug}\ntitle: ${slug}\ndomain: Bench\nsubdomain: General\ndifficulty: beginner`
      const text = `---\n${fields}\n---\n# ${slug}\n\n${body}`
      const read = readSource({ bytes: Buffer.from(text), path: `${slug}.md` })
      return { ...read, actor: { kind: 'system', id: 'bench' } }
    },
  }
}
