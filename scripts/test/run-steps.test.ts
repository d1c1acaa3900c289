import { expect, it } from 'vitest'
import { formatSummary, runSteps, type Step } from '../run-steps.ts'

const step = (name: string, code: string): Step => ({ name, command: [process.execPath, '-e', code] })

it('stops at the first failing step and names it', async () => {
  let output = ''
  const steps = [step('one', ''), step('two', 'process.exit(3)'), step('three', '')]
  const results = await runSteps(steps, (text) => (output += text))
  expect(results.map(({ name, ok }) => [name, ok])).toEqual([
    ['one', true],
    ['two', false],
  ])
  expect(output).toMatch(/^three\s+not run$/m)
  expect(output).toMatch(/^failed at: two, \d+\.\d s$/m)
})

it('reports a program that does not exist as a failed step', async () => {
  const results = await runSteps([{ name: 'none', command: ['no-such-program-here'] }], () => undefined)
  expect(results.map(({ ok }) => ok)).toEqual([false])
})

it('states the time of every step and the total', () => {
  const steps = [step('build', ''), step('lint', '')]
  const results = steps.map(({ name }) => ({ name, ok: true, seconds: 1.25 }))
  expect(formatSummary(steps, results)).toBe(
    '\nbuild  ok         1.3 s\nlint   ok         1.3 s\n\nall 2 steps passed, 2.5 s\n',
  )
})
