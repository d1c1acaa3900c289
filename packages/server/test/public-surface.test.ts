import * as server from '@packs/server'
import { expect, it } from 'vitest'

it('exports what the cli uses', () => {
  expect(Object.keys(server).toSorted()).toEqual(['commands', 'exitOfCode', 'openVersion'])
})
