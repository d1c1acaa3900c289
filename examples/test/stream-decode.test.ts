import { expect, it } from 'vitest'
import { buildExamples } from './build-examples.ts'

const { readText, run, runWithout } = buildExamples('payments-api-reference')

it('writes the beginning of the text, and shows that separately decoded chunks differ', () => {
  const [text, facts] = run('stream-decode.ts').split('\n\nThe text above is')
  // The content is cut after 1,500 units of content, possibly inside a term.
  expect(readText('payments-api-reference').startsWith(text!.slice(0, -10))).toBe(true)
  expect(text!.length).toBeGreaterThan(1500)
  expect(facts).toContain('createDecoder gives the same text as decode: yes')
  expect(facts).toContain('decodeStream gives the same text: yes')
  expect(facts).toContain('decoding each chunk separately gives the same text: no')
})

it('says how to build the packs if they are missing', () => {
  const { status, stdout, stderr } = runWithout('stream-decode.ts')
  expect(status).toBe(1)
  expect(stdout).toBe('')
  expect(stderr).toContain('.pack.json is missing. Build the example packs first: npx -y pnpm@12 start')
})
