import { spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect } from 'vitest'
import { decode } from '@packs/codec'
import { serializePack } from '@packs/codec/internal'
import { buildPack, parseSource } from '@packs/codec/pack'
import { readExample } from '../../packages/test-kit/test/example-packs.ts'

/** The example packs, built into a temporary folder, and functions to run programs on them. */
export interface BuiltExamples {
  /** Returns the text that a model reads, without terms. */
  readonly readText: (slug: string) => string
  /** Runs a program on the packs and returns its stdout; it must end with status 0 and an empty stderr. */
  readonly run: (program: string) => string
  /** Runs a program on a folder that does not exist. */
  readonly runWithout: (program: string) => { status: number | null; stdout: string; stderr: string }
}

/** Builds the example packs `slugs` before all tests and deletes them afterwards. */
export function buildExamples(...slugs: string[]): BuiltExamples {
  const examples = join(import.meta.dirname, '..')
  const packs = mkdtempSync(join(tmpdir(), 'packs-examples-'))
  const texts = new Map<string, string>()

  beforeAll(async () => {
    for (const slug of slugs) {
      const { path, text } = readExample(slug)
      const { source } = parseSource(text, { path })
      const { pack } = await buildPack(source!)
      texts.set(slug, decode(pack!.content, pack!.rosetta))
      writeFileSync(join(packs, `${slug}.pack.json`), serializePack(pack!))
    }
  })
  afterAll(() => rmSync(packs, { recursive: true }))

  const spawn = (program: string, folder: string): ReturnType<BuiltExamples['runWithout']> =>
    spawnSync(process.execPath, ['-C', 'source', join(examples, program), folder], { encoding: 'utf8' })
  return {
    readText: (slug) => texts.get(slug)!,
    run(program) {
      const { status, stdout, stderr } = spawn(program, packs)
      expect(stderr).toBe('')
      expect(status).toBe(0)
      return stdout
    },
    runWithout: (program) => spawn(program, join(packs, 'none')),
  }
}
