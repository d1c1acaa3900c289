import { spawn, type ChildProcessByStdio } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import type { Readable } from 'node:stream'
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'
import type { CatalogContext } from '../catalog-context.ts'

const PROGRAM = fileURLToPath(new URL('../processes/commit-forever.ts', import.meta.url))

export function describeProcesses(context: CatalogContext): void {
  describe('several processes', () => {
    it('write while others read, and leave no gap in the sequence', async () => {
      const { catalog, url } = context
      const children = ['x', 'y'].map((prefix) => start(url, prefix, 12))
      let isRunning = true
      const ended = Promise.all(children.map((child) => once(child, 'close'))).then((codes) => {
        isRunning = false
        return codes.map(([code]) => code as number)
      })
      let last = 0
      let reads = 0
      while (isRunning) {
        const { packs, total } = await catalog.packs.list({ limit: 100, offset: 0, search: 'x' })
        expect(total % 3).toBe(0)
        expect(packs.length).toBeGreaterThanOrEqual(Math.min(last, 100))
        last = packs.length
        reads += 1
        await new Promise(setImmediate)
      }
      expect(await ended).toEqual([0, 0])
      expect(reads).toBeGreaterThan(10)
      expect(await catalog.sequence()).toBe(72)
      const { changes } = await catalog.packs.changes({
        after: 0,
        removals: true,
        limit: 1000,
        maxBytes: 1e9,
      })
      expect(changes.map(({ sequence }) => sequence)).toEqual(Array.from({ length: 72 }, (_, i) => i + 1))
    })

    it('leave no partial commit when they are killed', async () => {
      const { catalog, url } = context
      const acknowledged: number[] = []
      for (const round of [1, 2]) {
        const child = start(url, `round-${round}`, Infinity)
        let lines = 0
        for await (const line of createInterface(child.stdout)) {
          acknowledged.push(...line.split(' ').map(Number))
          if (++lines === 3 * round) child.kill('SIGKILL')
        }
        if (child.exitCode === null && child.signalCode === null) await once(child, 'exit')
        expect(child.signalCode).toBe('SIGKILL')
      }
      const { changes } = await catalog.packs.changes({
        after: 0,
        removals: true,
        limit: 5000,
        maxBytes: 1e9,
      })
      const sequences = changes.map(({ sequence }) => sequence)
      expect(sequences).toEqual(Array.from({ length: await catalog.sequence() }, (_, index) => index + 1))
      expect(sequences.length % 3).toBe(0)
      expect(sequences).toEqual(expect.arrayContaining(acknowledged))
      expect(acknowledged.length).toBeGreaterThanOrEqual(27)
    })
  })
}

function start(url: string, prefix: string, count: number): ChildProcessByStdio<null, Readable, null> {
  return spawn(process.execPath, ['-C', 'source', PROGRAM, url, prefix, `${count}`], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
}
