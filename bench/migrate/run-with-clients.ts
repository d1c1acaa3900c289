import { spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import type { ClientWaits } from './old-client.ts'

const CLIENT = fileURLToPath(new URL('./old-client.ts', import.meta.url))

export interface AllWaits {
  readonly reader: ClientWaits
  readonly writer: ClientWaits
}

/** Runs work while two readers and a writer of the old program use the database; returns the longest waits. */
export async function runWithClients<T>(
  url: string,
  name: string,
  work: () => Promise<T>,
): Promise<AllWaits & { readonly result: T }> {
  const clients = [
    startProgram(CLIENT, [url, 'reader', '']),
    startProgram(CLIENT, [url, 'reader', '']),
    startProgram(CLIENT, [url, 'writer', name]),
  ]
  for (const { lines } of clients) await lines.next()
  const result = await work()
  const waits: ClientWaits[] = []
  for (const { child } of clients) child.stdin?.end()
  for (const { lines } of clients) waits.push(JSON.parse(String((await lines.next()).value)) as ClientWaits)
  const [first, second, writer] = waits as [ClientWaits, ClientWaits, ClientWaits]
  return { result, reader: first.longest > second.longest ? first : second, writer }
}

/** Runs a program to its end and returns what it prints as JSON. */
export async function runProgram<T>(path: string, parameters: readonly string[]): Promise<T> {
  const { child, lines } = startProgram(path, parameters)
  const exited = once(child, 'exit')
  const { value } = await lines.next()
  const [code] = (await exited) as [number | null]
  if (code !== 0 || value === undefined) throw new Error(`${path} failed`)
  return JSON.parse(value) as T
}

function startProgram(
  path: string,
  parameters: readonly string[],
): { readonly child: ChildProcess; readonly lines: AsyncIterator<string, undefined> } {
  const child = spawn(process.execPath, ['-C', 'source', path, ...parameters], {
    stdio: ['pipe', 'pipe', 'inherit'],
  })
  return {
    child,
    lines: createInterface(child.stdout)[Symbol.asyncIterator]() as AsyncIterator<string, undefined>,
  }
}
