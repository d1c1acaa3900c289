import { expect, it } from 'vitest'
import { buildExamples } from './build-examples.ts'

const { body, run, runWithout } = buildExamples('postgres-query-tuning')

it('writes the beginning of the source, where chunks decoded one by one would be wrong', () => {
  const [text, facts] = run('stream-decode.ts').split('\n\nThe answer above is')
  // The answer is cut after 1,500 units of content, perhaps inside a term.
  expect(body('postgres-query-tuning').startsWith(text!.slice(0, -10))).toBe(true)
  expect(text!.length).toBeGreaterThan(1500)
  expect(facts).toContain('no model was asked')
  expect(facts).toContain('createDecoder gives what decode gives at once: yes')
  expect(facts).toContain('decodeStream gives the same: yes')
  expect(facts).toContain('decoding each chunk by itself would have: no')
})

it('says what to do where the packs are not built', () => {
  const { status, stdout, stderr } = runWithout('stream-decode.ts')
  expect(status).toBe(1)
  expect(stdout).toBe('')
  expect(stderr).toContain('.pack.json is missing. Build the example packs first: npx -y pnpm@12 start')
})
