import { countTokens } from 'gpt-tokenizer/encoding/o200k_base'
import { describe, expect, it } from 'vitest'
import { FreeAcronyms, makeAcronyms, recalls } from '../../../src/compress/terms/make-acronyms.ts'
import { o200kBase } from '../../load-o200k-base.ts'

/** All acronyms of a phrase, those of one token first. */
function listAll(phrase: string, ...taken: string[]): string[] {
  const acronyms = new FreeAcronyms(o200kBase, new Set(taken))
  return [...acronyms.list(phrase, 1), ...acronyms.list(phrase, 2)]
}

describe('the acronyms of a phrase (T9)', () => {
  it('are three or four initials of its words in order, the first one first', () => {
    expect(listAll('big velvet grey hats').toSorted()).toEqual(['BGH', 'BVG', 'BVGH', 'BVH'])
    expect(listAll('velvet hats')).toEqual([])
  })

  it('take at most two tokens behind a space', () => {
    const tokens = ['QVY', 'QZV', 'QZY', 'QZVY'].map((term) => countTokens(` ${term}`))
    expect(tokens).toEqual([3, 3, 2, 4])
    expect(listAll('quick zebra vaults yonder')).toEqual(['QZY'])
  })

  it('begin with those of the words that are no stop words', () => {
    const acronyms = new FreeAcronyms(o200kBase, new Set())
    expect(acronyms.list('with the velvet hat', 2)[0]).toBe('WVH')
  })

  it('are letters of a single name in order, the first one first', () => {
    const found = listAll('Kubelet')
    expect(found).toEqual(expect.arrayContaining(['KBL']))
    expect(found.filter((term) => !/^K[UBELET]{2,3}$/.test(term))).toEqual([])
  })

  it('leave accents out, and take what follows an apostrophe for no word', () => {
    expect(listAll('Vélo Gris Été')).toEqual(['VGE'])
    expect(listAll('velvet grey’s hat')).toEqual(['VGH'])
    expect(listAll('velvet-grey hat')).toEqual(['VGH'])
  })

  it('are none without Latin letters', () => {
    expect(new FreeAcronyms(o200kBase, new Set()).countTokens('быстрая база')).toBe(Infinity)
    expect(new FreeAcronyms(o200kBase, new Set()).countTokens('高速データ')).toBe(Infinity)
  })

  it('are recalled by a phrase, known words too', () => {
    expect(recalls('RN', 'remote notifications')).toBe(true)
    expect(recalls('NR', 'remote notifications')).toBe(false)
    expect(recalls('XL', '6.1')).toBe(false)
  })
})

describe('the acronyms that readers know or the text has (T10)', () => {
  it('are omitted', () => {
    expect(listAll('rusty apple mill')).toEqual([])
    expect(listAll('velvet grey hat')).toEqual(['VGH'])
    expect(listAll('velvet grey hat', 'VGH')).toEqual([])
  })

  it('that readers know are only for what they mean', () => {
    expect(listAll('application programming interface')[0]).toBe('API')
    expect(listAll('air pressure indicator')).not.toContain('API')
    expect(listAll('application programming interface', 'API')).not.toContain('API')
  })
})

describe('makeAcronyms', () => {
  const assign = (...options: string[][]): [number, string][] =>
    [...makeAcronyms(new Map(options.entries()))].toSorted(([a], [b]) => a - b)

  it('assigns each acronym once and omits phrases when none is left', () => {
    expect(assign(['ZV'], ['ZV'], ['ZK'])).toEqual([
      [0, 'ZV'],
      [2, 'ZK'],
    ])
  })

  it('moves earlier phrases to other acronyms if that gives a later one its only one', () => {
    expect(assign(['ZV', 'ZVR'], ['ZV'])).toEqual([
      [0, 'ZVR'],
      [1, 'ZV'],
    ])
    expect(assign(['ZV', 'ZR'], ['ZR', 'ZK'], ['ZV'])).toEqual([
      [0, 'ZR'],
      [1, 'ZK'],
      [2, 'ZV'],
    ])
  })
})
