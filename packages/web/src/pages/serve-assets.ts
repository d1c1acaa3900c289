import { createHash } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { THEME } from '@packs/codec/theme'
import type { FastifyInstance } from 'fastify'
import type { AssetPaths } from './page.ts'
import { addPage } from './serve-page.ts'

/** A static file that pages load. */
export interface Asset {
  readonly path: string
  readonly type: string
  readonly bytes: Buffer
}

export interface Assets {
  readonly paths: AssetPaths
  readonly files: readonly Asset[]
}

const FOLDER = new URL('../../assets/', import.meta.url)

/** Reads the static files. Each path has a hash of the content, so that browsers may cache the file for ever. */
export async function loadAssets(): Promise<Assets> {
  const stylesheet = await loadAsset('style', 'css', 'text/css; charset=utf-8', THEME)
  const script = await loadAsset('copy', 'js', 'text/javascript; charset=utf-8')
  const icon = await loadAsset('icon', 'svg', 'image/svg+xml')
  return {
    paths: { stylesheet: stylesheet.path, script: script.path, icon: icon.path },
    files: [stylesheet, script, icon],
  }
}

/** Adds a route for each file. */
export function addAssetRoutes(app: FastifyInstance, files: readonly Asset[]): void {
  for (const { path, type, bytes } of files) {
    addPage(app, path, (_request, reply) =>
      reply.header('cache-control', 'public, max-age=31536000, immutable').type(type).send(bytes),
    )
  }
}

async function loadAsset(name: string, extension: string, type: string, before = ''): Promise<Asset> {
  const file = await readFile(new URL(`${name}.${extension}`, FOLDER))
  const bytes = Buffer.concat([Buffer.from(before), file])
  const hash = createHash('sha256').update(bytes).digest('base64url').slice(0, 12)
  return { path: `/assets/${name}.${hash}.${extension}`, type, bytes }
}
