import { describe, expect, it } from 'vitest'
import { exitStatus, findStatus, statusOfCode } from '../../src/cli-error.ts'
import { describeError } from '../../src/output/report-error.ts'

describe('describeError', () => {
  it.each([[new TypeError('boom')], [Object.assign(new Error('boom'), { code: 'EIO' })], ['boom']])(
    'treats other values as internal: %s',
    (thrown) => {
      expect(describeError(thrown)).toMatchObject({ code: 'internal', message: 'unexpected failure: boom' })
    },
  )
})

describe('findStatus', () => {
  it('knows every code', () => {
    expect(findStatus('usage')).toBe(2)
    expect(findStatus('file_exists')).toBe(4)
    expect(findStatus('linked_input')).toBe(4)
    expect(findStatus('file_not_found')).toBe(1)
    const statuses = Object.values(statusOfCode).map((name) => exitStatus[name])
    expect(statuses.every((status) => status >= 1 && status <= 5)).toBe(true)
  })
})
