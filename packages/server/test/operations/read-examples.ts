import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { parse } from 'yaml'

export const root: string = fileURLToPath(new URL('../../../..', import.meta.url))

/** Reads a file of `docs/`. */
export function readDocument(path: string): string {
  return readFileSync(`${root}/docs/${path}`, 'utf8')
}

/** A service of the compose file, with anchors and merges resolved. */
export interface Service {
  readonly image?: string
  readonly networks?: { readonly default: { readonly ipv4_address: string } }
  readonly command?: readonly string[]
  readonly environment?: Readonly<Record<string, string>>
  readonly healthcheck?: { readonly test: readonly string[] }
  readonly stop_grace_period?: string
  readonly build?: { readonly context: string }
}

/** Reads the services of the compose file by name. */
export function readCompose(): Readonly<Record<string, Service>> {
  const { services } = parse(readDocument('operations/compose.yaml'), { merge: true }) as {
    services: Record<string, Service>
  }
  return services
}

/** Reads a systemd unit: its settings by name, repeated ones in order. */
export function readUnit(name: string): ReadonlyMap<string, readonly string[]> {
  const settings = new Map<string, string[]>()
  for (const line of readDocument(`operations/${name}.service`).split('\n')) {
    const [, key, value] = /^(\w+)=(.*)$/.exec(line) ?? []
    if (key !== undefined) settings.set(key, [...(settings.get(key) ?? []), value ?? ''])
  }
  return settings
}

/** Returns the arguments that a unit starts `pack` with. */
export function readArguments(unit: ReadonlyMap<string, readonly string[]>): string[] {
  const [node, program, ...args] = (unit.get('ExecStart')?.[0] ?? '').split(' ')
  if (node !== '/opt/packs/node_modules/.bin/node' || program !== '/opt/packs/packages/cli/bin/pack.js') {
    throw new Error(`The unit starts another program: ${node} ${program}`)
  }
  return args
}

/** Replaces `${NAME}`, `${NAME:?}` and `${NAME:-}` by values. */
export function fillIn(text: string, values: Readonly<Record<string, string>>): string {
  return text.replace(/\$\{(\w+)(?::[?-])?\}/g, (_, name: string) => {
    const value = values[name]
    if (value === undefined) throw new Error(`packs.env.example has no ${name}`)
    return value
  })
}
