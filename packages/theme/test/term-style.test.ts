import { expect, it } from 'vitest'
import { LIT } from '../src/lit-prompt.ts'
import { THEME } from '../src/html.ts'

it('lights terms with variables that the theme does not set, or all terms would be lit', () => {
  const names = LIT.match(/--[\w-]+(?=:)/g)!
  expect(names).toContain('--mark')
  expect(names.filter((name) => THEME.includes(`${name}:`))).toEqual([])
})
