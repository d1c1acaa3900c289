import { expect, it } from 'vitest'
import { buildExamples } from './build-examples.ts'

const slugs = ['payments-api-reference', 'kubernetes-upgrade', 'http-status-codes']
const { countTokens, run, runWithout } = buildExamples(...slugs)

it('prints the token counts of the sources and the savings', () => {
  const rows = [...run('three-packs-prompt.ts').matchAll(/^ *([\d,]+) {2}\S/gm)]
  const figures = rows.map(([, figure]) => Number(figure!.replace(',', '')))
  const counts = slugs.map((slug) => countTokens(slug))
  const total = counts.reduce((sum, count) => sum + count, 0)
  const [after, saved] = figures.slice(4)
  expect(figures.slice(0, 4)).toEqual([...counts, total])
  expect(after! + saved!).toBe(total)
  expect(saved).toBeGreaterThan(0)
})

it('restores each source from the prompt', () => {
  const output = run('three-packs-prompt.ts')
  for (const slug of slugs) expect(output).toContain(`${slug} is restored from the prompt byte for byte: yes`)
})

it('says how to build the packs if they are missing', () => {
  const { status, stdout, stderr } = runWithout('three-packs-prompt.ts')
  expect(status).toBe(1)
  expect(stdout).toBe('')
  expect(stderr).toContain('.pack.json is missing. Build the example packs first: npx -y pnpm@12 start')
})
