import { readdirSync, readFileSync } from 'node:fs'
import { describePack } from '@packs/search'
import { describe, expect, it } from 'vitest'
import { createTermFinder, listQueryTerms } from '../../src/search/search-packs.ts'

describe('listQueryTerms', () => {
  it('returns stems, words written as one, and synonyms', async () => {
    const terms = await listQueryTerms({ text: 'updating web sockets', limit: 10, offset: 0, scope: 'full' })
    expect([...terms]).toEqual(expect.arrayContaining(['updat', 'web', 'socket', 'websocket', 'upgrad']))
  })
})

describe('createTermFinder', () => {
  it.each([
    ['readabl', 'Readability matters'],
    ['happi', 'a happy end'],
    ['strictnullcheck', 'set strict_null.checks'],
    ['nocach', 'curl --no-cache'],
    ['rs', 'the parseRs function'],
    ['rs', 'main.rs'],
    ['統計', '日本の統計学'],
    ['uber', 'Über uns'],
  ])('finds %s in %j', (term, text) => {
    expect(createTermFinder(new Set([term]))(text)).toBe(true)
  })

  it.each([
    ['rs', 'first letters'],
    ['ownership', 'an owner'],
  ])('does not find %s in %j', (term, text) => {
    expect(createTermFinder(new Set([term]))(text)).toBe(false)
  })

  it.each(readdirSync('examples/packs'))('finds every term of %s', (name) => {
    const body = readFileSync(`examples/packs/${name}`, 'utf8')
    const section = { title: '', path: [], start: 0, end: body.length, tokens: 0 }
    const fields = { slug: 'a', title: 'A', domain_slug: 'b', difficulty: 'expert' }
    const pack = { ...fields, token_count: 0, rosetta_tokens: 0 }
    const terms = [...describePack(pack, body, [section]).words.keys()].filter((term) => term !== 'a')
    expect(terms.length).toBeGreaterThan(20)
    expect(terms.filter((term) => !createTermFinder(new Set([term]))(body))).toEqual([])
  })
})
