/**
 * Writes and reads entries of a folder cache until it is told to stop, or until it has done so a number of times. Prints the
 * keys of wrong values. Plain imports of what is built, so that every runtime can run it.
 *
 * Arguments: the address of `@packs/client/node`, the folder, the most bytes, the rounds.
 */
import type * as node from '../../src/node/index.ts'

const [address = '', folder = '', bytes = '', rounds = ''] = process.argv.slice(2)
const { createFolderCache } = (await import(address)) as typeof node

const cache = createFolderCache(folder, { bytes: Number(bytes) })
const wrong: string[] = []
let hits = 0
for (let round = 0; round < Number(rounds); round++) {
  const key = `pack/${round % 7}`
  await cache.set(key, `${key}:${'text é\n'.repeat(500 + (round % 7))}`)
  const other = `pack/${(round * 3) % 7}`
  const value = await cache.get(other)
  if (value !== undefined) hits++
  const expected = `${other}:${'text é\n'.repeat(500 + ((round * 3) % 7))}`
  if (value !== undefined && value !== expected) wrong.push(other)
  if (round === 0) console.log('started')
}
console.log(JSON.stringify({ wrong, hits }))
