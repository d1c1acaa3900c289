import { readFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { extname, join, normalize } from 'node:path'

export interface FolderServer {
  /** Ends with a slash. */
  readonly address: string
  close(): Promise<void>
}

const TYPES: Readonly<Record<string, string>> = {
  '.js': 'text/javascript',
  '.json': 'application/json',
  '.html': 'text/html',
}

/** Serves each folder under its name, and an empty page at `/`, on this machine only. */
export async function serveFolders(folders: Readonly<Record<string, string>>): Promise<FolderServer> {
  const server = createServer((request, response) => {
    const [, name = '', ...rest] = normalize(new URL(request.url ?? '/', 'http://localhost').pathname).split(
      '/',
    )
    const folder = Object.hasOwn(folders, name) ? folders[name] : undefined
    if (folder === undefined) {
      response.writeHead(name ? 404 : 200, { 'content-type': 'text/html' }).end('<!doctype html>')
      return
    }
    const path = join(folder, ...rest)
    readFile(path).then(
      (bytes) => response.writeHead(200, { 'content-type': TYPES[extname(path)] ?? 'text/plain' }).end(bytes),
      () => response.writeHead(404).end(),
    )
  })
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve)
  })
  return {
    address: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`,
    close: () =>
      new Promise((resolve) => {
        server.closeAllConnections()
        server.close(() => resolve())
      }),
  }
}
