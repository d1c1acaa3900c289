import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { readSource, type PublishRequest } from '@packs/publisher'

/** A kind of source that publishing is timed with. */
export interface SourceKind {
  readonly name: string
  /** Mean length, UTF-8. */
  readonly bytes: number
  /** How many are published one after the other. */
  readonly count: number
  /** Another source of its own pack for every name. */
  createRequest(name: string): PublishRequest
}

const NOTE = 2000

/** Notes of 2,000 characters, and whole documents, of the example packs. */
export function createSourceKinds(root: string, isQuick: boolean): readonly SourceKind[] {
  const folder = join(root, 'examples/packs')
  const bodies = readdirSync(folder)
    .filter((file) => file.endsWith('.md'))
    .map((file) => readFileSync(join(folder, file), 'utf8').replace(/^---\n[^]*?\n---\n/, ''))
  const notes = bodies.flatMap((body) => body.match(new RegExp(`[^]{${NOTE}}`, 'gu')) ?? [])
  return [createKind('note', notes, isQuick ? 30 : 100), createKind('document', bodies, isQuick ? 10 : 40)]
}

function createKind(name: string, bodies: readonly string[], count: number): SourceKind {
  let turn = 0
  const bytes = bodies.reduce((sum, body) => sum + Buffer.byteLength(body), 0) / bodies.length
  return {
    name,
    bytes,
    count,
    createRequest(slug) {
      const body = bodies[turn++ % bodies.length] ?? ''
      const fields = `slug: ${slug}\ntitle: ${slug}\ndomain: Bench\nsubdomain: General\ndifficulty: beginner`
      const text = `---\n${fields}\n---\n# ${slug}\n\n${body}`
      return readSource({ bytes: Buffer.from(text), path: `${slug}.md` })
    },
  }
}
