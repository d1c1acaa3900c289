import { readFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { extname, join, normalize } from 'node:path'
import { chromium, type Browser } from 'playwright-core'
import { closeLater } from './close-later.ts'
import { findChromium } from './find-chromium.ts'

/** Opens Chromium, until the test ends or, outside of tests, those of the file. */
export async function openBrowser(): Promise<Browser> {
  const args = ['--no-sandbox', '--disable-background-networking']
  const browser = await chromium.launch({ executablePath: findChromium(), args })
  closeLater(() => browser.close())
  return browser
}

export interface FolderServer {
  /** Ends with a slash. */
  readonly address: string
}

const TYPES: Readonly<Record<string, string>> = {
  '.js': 'text/javascript',
  '.json': 'application/json',
  '.html': 'text/html',
}

/** Until the test ends, serves each folder under its name, and an empty page at `/`, on this machine only. */
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
  closeLater(() => {
    server.closeAllConnections()
    server.close()
  })
  return { address: `http://127.0.0.1:${(server.address() as AddressInfo).port}/` }
}
