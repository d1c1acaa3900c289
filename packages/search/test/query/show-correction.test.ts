import { expect, it } from 'vitest'
import { showCorrection } from '../../src/query/resolve-query.ts'

const resolved = { corrected: 'a thumbarbutton', repairs: [{ from: 'thumbarbuton', to: 'thumbarbutton' }] }

it('shows a correction to readers of previews only if the results that they see have it', () => {
  expect(showCorrection(resolved, 'preview', ['Base window', null, 'a click'])).toBeNull()
  expect(showCorrection(resolved, 'preview', ['Base window', 'a ThumbarButton'])).toBe('a thumbarbutton')
  expect(showCorrection(resolved, 'full', [])).toBe('a thumbarbutton')
  expect(showCorrection({ corrected: null, repairs: [] }, 'preview', [])).toBeNull()
})
