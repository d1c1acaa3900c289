import { randomBytes } from 'node:crypto'
import { connect, createServer, type AddressInfo } from 'node:net'

/** Milliseconds that whoever has the port of an earlier run has to say that it is that run. */
const PATIENCE = 2000

/** A run of the demo, which others can see alive: it says its name to who connects to the port that the name begins with. */
export interface DemoRun {
  readonly name: string
  end(): void
}

/** Begins a run. A process id would not do: the next process may have it again, in a container most of all. */
export async function beginRun(): Promise<DemoRun> {
  const server = createServer((socket) => socket.on('error', () => socket.destroy()).end(name))
  await new Promise<void>((resolve, reject) => server.once('error', reject).listen(0, '127.0.0.1', resolve))
  const name = `${(server.address() as AddressInfo).port}-${randomBytes(4).toString('hex')}`
  server.unref()
  return { name, end: () => server.close() }
}

/** Does the run of a name live still. */
export async function isAlive(name: string): Promise<boolean> {
  const [port = ''] = name.split('-')
  if (!/^[1-9]\d{0,4}$/.test(port) || Number(port) > 65_535) return false
  return new Promise((resolve) => {
    let said = ''
    const socket = connect(Number(port), '127.0.0.1')
    const finish = (): void => {
      socket.destroy()
      resolve(said === name)
    }
    socket.setTimeout(PATIENCE, finish)
    socket.on('data', (chunk: Buffer) => {
      said += chunk.toString('latin1')
      if (said.length > name.length) finish()
    })
    for (const event of ['error', 'end'] as const) socket.on(event, finish)
  })
}
