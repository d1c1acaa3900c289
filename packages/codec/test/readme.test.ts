import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { test } from 'vitest'

const root = dirname(import.meta.dirname)
const readme = readFileSync(join(root, 'README.md'), 'utf8')
const examples = [...readme.matchAll(/^```ts\n([^]*?)^```$/gm)].map(([, code]) => code!)

test('README.md shows the results of its examples', () => {
  // Inside the package, where its own name resolves.
  mkdirSync(join(root, '.packs'), { recursive: true })
  const folder = mkdtempSync(join(root, '.packs', 'readme-'))
  try {
    for (const [index, code] of examples.entries()) {
      const claims = code.replaceAll(/^(?!const |import )(.+?) \/\/ (.+)$/gm, 'claim($1, $2)')
      assert.notEqual(claims, code)
      const program = `import assert from 'node:assert/strict'\nconst claim = assert.deepEqual\n${claims}`
      writeFileSync(join(folder, `${index}.ts`), program)
    }
    const all = examples.map((_, index) => `import './${index}.ts'\n`)
    writeFileSync(join(folder, 'all.ts'), all.join(''))
    execFileSync(process.execPath, ['-C', 'source', join(folder, 'all.ts')], { stdio: 'pipe' })
  } finally {
    rmSync(folder, { recursive: true })
  }
})
