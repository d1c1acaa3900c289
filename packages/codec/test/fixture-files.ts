import { readdirSync, readFileSync } from 'node:fs'
import type { FixtureFile } from './runtimes/fixture-types.ts'

const folder = new URL('../fixtures/', import.meta.url)

/** The fixture files by name, parsed. */
export function readFixtures(): Map<string, FixtureFile> {
  const names = readdirSync(folder).filter(
    (name) => name.endsWith('.json') && name !== 'fixtures.schema.json',
  )
  return new Map(names.map((name) => [name, readJson(name) as FixtureFile]))
}

export function readJson(name: string): unknown {
  return JSON.parse(readFileSync(new URL(name, folder), 'utf8'))
}
