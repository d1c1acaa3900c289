import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { openBuildCache, type BuildCache } from '../../src/build-run/build-in-order.ts'
import { countPrompt, describePromptCount } from '../../src/build-run/final-figures.ts'
import { createBuildPool, type BuildPool } from '../../src/build-run/create-build-pool.ts'
import type { PromptCost, WrittenResult } from '../../src/output/build-result.ts'
import { runInProcess } from '../../../test-kit/test/run-in-process.ts'
import { makeFolder } from '../../../test-kit/test/run-pack.ts'

const COST: PromptCost = {
  tokens: 750,
  tokenizer: 'o200k_base',
  plan: { chosen: 'together', costs: { texts: 1000, together: 750 } },
}
const FAULT = { code: 'mixed_tokenizers', message: 'the packs differ', hint: 'name one' }

describe('countPrompt', () => {
  it('counts nothing for fewer than two packs', async () => {
    const { pool } = createFakePool()
    expect(await countPrompt([createResult('a')], { pool, cache: undefined })).toBeUndefined()
    const failed = { ...createResult('b'), status: 'failed' as const }
    expect(await countPrompt([createResult('a'), failed], { pool, cache: undefined })).toBeUndefined()
  })

  it.each([
    ['more than 50 packs', Array.from({ length: 51 }, (_, at) => createResult(`p${at}`)), 51, 5100],
    ['more than 200,000 tokens', [createResult('a', 150_000), createResult('b', 50_001)], 2, 200_001],
  ])('does not compose %s', async (_, results, packs, sources) => {
    const { pool, asked } = createFakePool()
    expect(await countPrompt(results, { pool, cache: undefined })).toEqual({ packs, sources })
    expect(asked).toEqual([])
  })

  it('composes a set once, and again where a pack has changed', async () => {
    const folder = join(makeFolder(), 'cache')
    const { pool, asked } = createFakePool()
    const count = (names: string): Promise<unknown> => {
      const cache: BuildCache = openBuildCache(folder)
      const results = names.split('').map((name) => createResult(name))
      return countPrompt(results, { pool, cache })
    }
    expect(await count('ab')).toEqual({ packs: 2, sources: 200, cost: COST })
    // `pack prompt` takes the packs of a folder by name, so the order of the sources does not matter.
    expect(await count('ba')).toEqual({ packs: 2, sources: 200, cost: COST })
    expect(asked).toEqual(['a,b'])
    await count('abc')
    expect(asked).toEqual(['a,b', 'a,b,c'])
  })

  it('does not trust a damaged entry', async () => {
    const folder = join(makeFolder(), 'cache')
    const { pool, asked } = createFakePool()
    const results = [createResult('a'), createResult('b')]
    const open = (): BuildCache => openBuildCache(folder)
    await countPrompt(results, { pool, cache: open() })
    const entry = readdirSync(folder).find((name) => /^[0-9a-f]{64}$/.test(name))!
    const text = readFileSync(join(folder, entry), 'utf8')
    writeFileSync(join(folder, entry), text.replace('750', '150'))
    expect(await countPrompt(results, { pool, cache: open() })).toEqual({
      packs: 2,
      sources: 200,
      cost: COST,
    })
    expect(asked).toHaveLength(2)
  })

  it('says why a set cannot be composed', async () => {
    const results = [createResult('a'), createResult('b')]
    const { pool } = createFakePool(FAULT)
    const refused = await countPrompt(results, { pool, cache: undefined })
    expect(refused).toEqual({ packs: 2, sources: 200, problem: FAULT })
    expect(describePromptCount(refused!)).toEqual({ packs: 2, tokens: null, error: FAULT })
  })

  it('ends a composition that takes too long', async () => {
    const pool = createBuildPool(0.001)
    const results = ['a', 'b'].map((name) => ({ ...createResult(name), text: '{}' }))
    const count = await countPrompt(results, { pool, cache: undefined })
    await pool.close()
    expect(count).toMatchObject({ packs: 2, problem: { code: 'build_timeout' } })
  })
})

it('is in the JSON of a build, as `pack prompt` counts it', async () => {
  const body = 'A certificate transparency log entry names a certificate transparency log.\n'.repeat(40)
  const folder = makeFolder({ 'a.md': `# A\n\n${body}`, 'a-b.md': `# B\n\n${body}` })
  // The order of the inputs is not that of the packs in the folder.
  const paths = [join(folder, 'a.md'), join(folder, 'a-b.md'), '-o', join(folder, 'out')]
  const build = ['build', ...paths, '--no-cache', '--config', 'none', '--scheme', 'dense-2']
  const json = JSON.parse((await runInProcess([...build, '--json'])).stdout)
  const { tokens, plan } = json.prompt
  expect(json.prompt).toMatchObject({ packs: 2, tokenizer: 'o200k_base' })
  expect(plan.costs[plan.chosen]).toBe(tokens)
  const named = JSON.parse((await runInProcess(['prompt', join(folder, 'out'), '--plan', '--json'])).stdout)
  expect(named).toMatchObject({ tokens, plan, packs: [{ slug: 'a-b' }, { slug: 'a' }] })
  expect(await runInProcess([...build, '--quiet'])).toEqual({ status: 0, stdout: '', stderr: '' })
})

/** Creates a pool that composes nothing and notes what it was asked for. */
function createFakePool(fault?: object): { readonly pool: BuildPool; readonly asked: string[] } {
  const asked: string[] = []
  const pool: BuildPool = {
    ...createBuildPool(1),
    compose: async (packs) => {
      asked.push(packs.join())
      if (fault !== undefined) throw Object.assign(new Error(), fault)
      return { ...COST, text: '', instructionTokens: 24 } as Awaited<ReturnType<BuildPool['compose']>>
    },
  }
  return { pool, asked }
}

function createResult(text: string, tokens = 100): WrittenResult {
  const pack = {
    slug: text,
    version: '1.0.0',
    compression: 'dense-2' as const,
    tokenizer: 'o200k_base' as const,
    uncompressed_estimate: tokens,
    token_count: tokens,
    rosetta_tokens: 0,
    savings_pct: 0,
    net_savings_pct: 0,
    entries: 0,
    optimality: 1,
  }
  const paths = { path: `/docs/${text}.md`, shown: `${text}.md`, file: `dist/${text}.pack.json` }
  return { ...paths, pack, text, slugPosition: null, messages: [], status: 'written' }
}
