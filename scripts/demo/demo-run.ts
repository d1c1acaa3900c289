import { randomBytes } from 'node:crypto'
import { connect, createServer, type AddressInfo } from 'node:net'

/** Milliseconds within which an earlier run must answer on its port with its name. */
const PATIENCE = 2000

/** A run of the demo. Its name begins with a port, on which it answers with the name as long as it is alive. */
export interface DemoRun {
  readonly name: string
  end(): void
}

/** Begins a run. A process id is no name for it, because another process may get the same one, above all in a container. */
export async function beginRun(): Promise<DemoRun> {
  const server = createServer((socket) => socket.on('error', () => socket.destroy()).end(name))
  await new Promise<void>((resolve, reject) => server.once('error', reject).listen(0, '127.0.0.1', resolve))
  const name = `${(server.address() as AddressInfo).port}-${randomBytes(4).toString('hex')}`
  server.unref()
  return { name, end: () => server.close() }
}

/** Returns whether the run of that name is still alive. */
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
