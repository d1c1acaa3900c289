import { ClientError } from '@packs/client'
import { describe, expect, it } from 'vitest'
import { listCodes } from '../../../../scripts/error-page.ts'
import { adviseOn } from '../../src/lock/pinned-packs.ts'

/** Codes of a wrong address or network. Their hint is also that of codes that the program does not know. */
const OF_THE_ADDRESS = [
  'unreachable',
  'timeout',
  'invalid_response',
  'digest_mismatch',
  'foreign_origin',
  'misdirected_request',
  'request_timeout',
]

describe('adviseOn', () => {
  const codes = ['client/src/client-error.ts', 'api/src/errors/problem-table.ts']
    .flatMap((file) => listCodes(`packages/${file}`).map(({ code }) => code))
    .filter((code) => !/^invalid_(name|range)$/.test(code))

  it.each(codes)('has a hint of its own for %s, without names of methods', (code) => {
    const hint = adviseOn(new ClientError(code, 'What is wrong', 'See packs.versions or retryAt.'))
    expect(hint).not.toMatch(/packs\.(?:versions|list|outline)|retryAt|(?<!-)\burl\b/)
    const unknown = adviseOn(new ClientError('nobody_knows_it', '', ''))
    expect(hint === unknown).toBe(OF_THE_ADDRESS.includes(code))
  })

  it('says when to try again', () => {
    const retryAt = new Date('2026-03-01T23:59:59.200Z')
    const error = (code: string): ClientError =>
      new ClientError(code, '', 'See retryAt.', { status: 429, retryAt })
    expect(adviseOn(error('quota_exceeded'))).toMatch(/; try again at 2026-03-02 00:00:00 UTC$/)
    expect(adviseOn(error('service_unavailable'))).toBe(
      'pinned packs in the cache still work; try again at 2026-03-02 00:00:00 UTC',
    )
  })

  it('names the request of an internal error, and keeps what the codec says of a name', () => {
    expect(adviseOn(new ClientError('internal_error', '', '', { requestId: 'r1' }))).toContain('(request r1)')
    expect(adviseOn(new ClientError('invalid_range', '', 'write ^1.2'))).toBe('write ^1.2')
  })
})
