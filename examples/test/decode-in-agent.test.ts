import { expect, it } from 'vitest'
import { buildExamples } from './build-examples.ts'

const { body, countTokens, run, runWithout } = buildExamples('tls-certificates')

it('answers in terms, says that no model was asked, and decodes to a paragraph of the source', () => {
  const output = run('decode-in-agent.ts')
  const [, answer, decoded] = output.match(/no model was asked\):\n\n(.+)\n\nAnswer decoded:\n\n(.+)\n$/)!
  expect(answer).not.toBe(decoded)
  expect(body('tls-certificates').split('\n')).toContain(decoded)
  expect(decoded).toContain('curl')
})

it('prints the token count of the source', () => {
  expect(run('decode-in-agent.ts')).toContain(`${countTokens('tls-certificates')} as written`)
})

it('says how to build the packs if they are missing', () => {
  const { status, stdout, stderr } = runWithout('decode-in-agent.ts')
  expect(status).toBe(1)
  expect(stdout).toBe('')
  expect(stderr).toContain('.pack.json is missing. Build the example packs first: npx -y pnpm@12 start')
})
