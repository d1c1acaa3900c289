import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { VariantSavings } from './savings.ts'

/** Net savings of one file in percent, by other programs and by our variants. */
export interface PeerRow {
  readonly file: string
  readonly tokens: number
  readonly peers: Readonly<Record<string, number>>
  readonly ours: Readonly<Record<string, number>>
}

interface PeersFile {
  readonly peers: Readonly<Record<string, string>>
  readonly files: readonly PeerFigures[]
}

interface PeerFigures {
  readonly file: string
  readonly tokens: number
  readonly [peer: string]: number | string
}

/** Returns a row for each file of the corpus on which other programs were measured (`../shared/peers.json`). */
export function comparePeers(root: string, savings: readonly VariantSavings[]): readonly PeerRow[] {
  const path = join(root, '..', 'shared', 'peers.json')
  if (!existsSync(path)) return []
  const { peers, files } = JSON.parse(readFileSync(path, 'utf8')) as PeersFile
  const names = Object.keys(peers)
  return files.flatMap((row) => {
    const ours = savings.flatMap(({ variant, files: measured }) => {
      const found = measured.find(({ file }) => file === row.file)
      return found === undefined ? [] : [[variant, netOf(found)] as const]
    })
    if (ours.length === 0) return []
    const theirs = names.map((name) => [name, Number(row[name])] as const)
    return [
      {
        file: row.file,
        tokens: row.tokens,
        peers: Object.fromEntries(theirs),
        ours: Object.fromEntries(ours),
      },
    ]
  })
}

function netOf({ source, content, rosetta }: { source: number; content: number; rosetta: number }): number {
  return source === 0 ? 0 : (100 * (source - content - rosetta)) / source
}
