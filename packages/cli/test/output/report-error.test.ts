import { describe, expect, it } from 'vitest'
import { CliError, statusOfCode, exitStatus } from '../../src/cli-error.ts'
import { describeError } from '../../src/output/report-error.ts'

describe('describeError', () => {
  it.each([[new TypeError('boom')], [Object.assign(new Error('boom'), { code: 'EIO' })], ['boom']])(
    'treats other values as internal: %s',
    (thrown) => {
      expect(describeError(thrown)).toMatchObject({ code: 'internal', message: 'unexpected failure: boom' })
    },
  )
})

describe('CliError', () => {
  it('has an exit status for every code', () => {
    expect(new CliError('usage', '', '').status).toBe(2)
    expect(new CliError('file_exists', '', '').status).toBe(4)
    const statuses = Object.values(statusOfCode).map((name) => exitStatus[name])
    expect(statuses.every((status) => status >= 1 && status <= 5)).toBe(true)
  })
})
