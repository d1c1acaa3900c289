import { type Shape, shapeOfStatus, shapeOfUsage } from '@packs/codec/verify'
import { createError, rethrow } from './client-error.ts'
import { downloadPages } from './packs/download-pages.ts'
import { getPack, getPinned, listVersions } from './packs/named-packs.ts'
import { requireFull } from './packs/pack-resource.ts'
import { listPacks, searchPacks } from './packs/pages.ts'
import { getOutline, getSection, sectionNotFoundError } from './packs/sections.ts'
import { readOptions } from './read-options.ts'
import { FRESH, join, request } from './requests/load.ts'
import { defaultPorts, type Ports } from './requests/ports.ts'
import { jsonResource } from './requests/shapes.ts'
import type {
  CallOptions,
  Client,
  ClientOptions,
  ClientPrompt,
  FullPack,
  Outline,
  PreviewPack,
  PromptOptions,
  Section,
  SectionOptions,
  Status,
  Usage,
} from './types.ts'

/**
 * Creates a client of a catalog.
 *
 * @throws {ClientError} `invalid_option`, `insecure_url`, `invalid_lock`
 * @example
 * const client = createClient({ url: 'https://packs.example', key })
 * const { text, rosetta } = await client.prompt(['tls-certificates@^1', 'http-status-codes'], { budget: 8000 })
 */
export function createClient(options: ClientOptions): Client {
  return assembleClient(options, defaultPorts)
}

/** Creates a client with other surroundings, for tests. */
export function assembleClient(options: ClientOptions, ports: Ports): Client {
  const { connection, getLock } = readOptions(options, ports)

  /** Returns the pack if all that is read of it must be proven, which only the whole can be. */
  const findProven = async (name: string, call?: CallOptions): Promise<FullPack | undefined> => {
    const lock = await getLock()
    if (lock) return getPinned(connection, lock, name, call)
    return connection.signers && requireFull(await getPack(connection, name, call))
  }
  const get = async (name: string, call?: CallOptions): Promise<FullPack | PreviewPack> =>
    (await findProven(name, call)) ?? getPack(connection, name, call)
  const ask = async <T extends object>(path: string, shape: Shape, call?: CallOptions): Promise<T> =>
    (await request(connection, jsonResource<T>(path, shape), call))!.value
  // The codec's modules for sections and prompts are large, so they are loaded when they are needed.
  const outline = async (name: string, call?: CallOptions): Promise<Outline> => {
    const pack = await findProven(name, call)
    if (!pack) return getOutline(connection, name, call)
    const { outlinePack } = await import('@packs/codec/sections')
    return { ...(await outlinePack(pack)), ...join(FRESH, pack) }
  }
  const cut = async (name: string, section: string, call?: SectionOptions): Promise<Section> => {
    const pack = await findProven(name, call)
    if (!pack) return getSection(connection, name, section, call)
    const { cutSection } = await import('@packs/codec/sections')
    const found = await cutSection(pack, section, call?.subtree)
    if (!found) throw sectionNotFoundError()
    return { ...found, ...join(FRESH, pack) }
  }

  return {
    search: (question, search) => searchPacks(connection, question, search),
    prompt: (names, prompt) => composePrompt(get, names, prompt).catch(rethrow),
    usage: (call) => ask<Usage>('/api/v1/usage', shapeOfUsage, call),
    status: (call) => ask<Status>('/api/status', shapeOfStatus, call),
    packs: {
      list: (list) => listPacks(connection, list),
      get: (name, call) => get(name, call).catch(rethrow),
      versions: (name, call) => listVersions(connection, name, call).catch(rethrow),
      outline: (name, call) => outline(name, call).catch(rethrow),
      section: (name, section, call) => cut(name, section, call).catch(rethrow),
      download: (download) => downloadPages(connection, download),
    },
  }
}

/** Composes the prompt of packs here, from proven documents. Loads the composer and its tokenizer when it is called. */
async function composePrompt(
  get: Client['packs']['get'],
  names: readonly string[],
  options: PromptOptions = {},
): Promise<ClientPrompt> {
  const isList: boolean = Array.isArray(names)
  if (!isList) throw createError('invalid_name', 'It is no list of names')
  const packs = await Promise.all(names.map(async (name) => requireFull(await get(name, options))))
  const { composePacks } = await import('@packs/codec/prompt')
  return { ...(await composePacks(packs, options)), ...packs.reduce(join, FRESH) }
}
