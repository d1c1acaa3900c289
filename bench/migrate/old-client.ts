import { once } from 'node:events'
import { openOldProgram } from '../../packages/catalog/test/migrations/old-program.ts'
import { quantileOf } from '../publish/quantile.ts'

/** What a client waited for, in milliseconds. A call that fails is repeated, and waits until it succeeds. */
export interface ClientWaits {
  readonly calls: number
  readonly failures: number
  readonly longest: number
  readonly p99: number
}

// Reads or writes as the program of step 0002, one call after the other, until stdin ends; then prints its waits.
const [url = '', role = 'reader', name = ''] = process.argv.slice(2)
const PAUSE_MS = 5
const program = await openOldProgram(url)
const waits: number[] = []
let failures = 0
let isEnding = false
void once(process.stdin.resume(), 'end').then(() => (isEnding = true))
process.stdout.write('ready\n')
for (let call = 0; !isEnding; call++) {
  const start = performance.now()
  while (!(await succeeds(call))) failures++
  waits.push(performance.now() - start)
  await new Promise((resolve) => setTimeout(resolve, PAUSE_MS))
}
const result: ClientWaits = {
  calls: waits.length,
  failures,
  longest: Math.max(0, ...waits),
  p99: quantileOf(waits, 0.99),
}
process.stdout.write(`${JSON.stringify(result)}\n`)
await program.close()

async function succeeds(call: number): Promise<boolean> {
  try {
    if (role === 'writer') await program.commit([{ slug: `${name}-${call}`, savings: call % 100 }])
    else if (call % 2 === 0) await program.list(20)
    else await program.latest(`pack-${1000 + ((call * 7919) % 10_000)}`)
    return true
  } catch {
    return false
  }
}
