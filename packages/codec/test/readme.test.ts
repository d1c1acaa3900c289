import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { describe, test } from 'vitest'

const folder = new URL('../', import.meta.url)
const readme = readFileSync(new URL('README.md', folder), 'utf8')
const examples = [...readme.matchAll(/^```ts\n([^]*?)^```$/gm)].map(([, code]) => code!)

describe('README.md', () => {
  test.each(examples)('shows the results of its examples: %s', (code) => {
    const claims = code.replaceAll(/^(?!const |import )(.+?) \/\/ (.+)$/gm, 'claim($1, $2)')
    assert.notEqual(claims, code)
    const program = `import assert from 'node:assert/strict'\nconst claim = assert.deepEqual\n${claims}`
    execFileSync(process.execPath, ['-C', 'source', '--input-type=module-typescript', '-e', program], {
      cwd: fileURLToPath(folder),
      stdio: 'pipe',
    })
  })
})
