import { encode } from 'gpt-tokenizer/encoding/o200k_base'
import { expect, it } from 'vitest'
import { buildExamples } from './build-examples.ts'

const slugs = ['incident-response', 'tls-certificates']
const { body, run, runWithout } = buildExamples(...slugs)
const titles = ['Incident response runbook', 'TLS certificates in operation']

it('prints what each plan costs, takes the cheaper, and restores each source', () => {
  const output = run('compose-prompt.ts')
  const rows = [...output.matchAll(/^ *([\d,]+) {2}\S/gm)]
  const [sources, together, tokens] = rows.map(([, figure]) => Number(figure!.replace(',', '')))
  const plain = slugs.map((slug, at) => `<pack title="${titles[at]}">\n${body(slug)}\n</pack>\n`).join('')
  expect(sources).toBe(encode(plain, { disallowedSpecial: new Set() }).length)
  expect(tokens).toBe(Math.min(sources!, together!))
  for (const slug of slugs) expect(output).toContain(`${slug} is restored from the prompt byte for byte: yes`)
  expect(output).toMatch(/ stands for: ./)
})

it('says how to build the packs if they are missing', () => {
  const { status, stdout, stderr } = runWithout('compose-prompt.ts')
  expect({ status, stdout }).toEqual({ status: 1, stdout: '' })
  expect(stderr).toContain('*.pack.json is missing. Build the example packs first: npx -y pnpm@12 start')
})
