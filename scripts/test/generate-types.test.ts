import { readFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import { generateFiles } from '../generate-types.ts'

it.each([...generateFiles()])(
  'packages/%s follows from the schemas; run pnpm generate if not',
  (path, text) => {
    expect(readFileSync(`packages/${path}`, 'utf8')).toBe(text)
  },
)
