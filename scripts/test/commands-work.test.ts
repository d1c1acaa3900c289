import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { describe, expect, it } from 'vitest'

const root = resolve(import.meta.dirname, '../..')

function listFiles(pattern: RegExp): readonly string[] {
  const names = execFileSync('git', ['ls-files', '-z', '-co', '--exclude-standard'], {
    cwd: root,
    encoding: 'utf8',
  })
  // What was said in earlier releases stays.
  return names
    .split('\0')
    .filter((name) => pattern.test(name) && !/^(?:CHANGELOG|\.changeset\/|bench\/)/.test(name))
}

function find(files: readonly string[], pattern: RegExp): readonly string[] {
  return files.flatMap((file) => {
    const lines = readFileSync(join(root, file), 'utf8').split('\n')
    return lines.flatMap((line, at) => (pattern.test(line) ? `${file}:${at + 1}: ${line.trim()}` : []))
  })
}

/** Commands that fetch a package of ours from npm, where nobody owns the names. */
const FETCHES =
  /(?:\b(?:npm|pnpm|yarn|bun) (?:i|install|add|exec|create|dlx)\b|\b(?:npx|bunx|pnpx)\b|["']-y["']|["']--yes["'])(?! -y pnpm)[^`\n]*@packs\/(?!\S*\.(?:tgz|js)\b)/

describe('commands in texts', () => {
  const texts = listFiles(/\.(?:md|ts|js|yml|yaml|json|html|sh)$/).filter(
    (name) => !name.endsWith('.test.ts'),
  )

  it('fetch no package of ours from npm', () => {
    expect(find(texts, FETCHES)).toEqual([])
  })

  it.each([
    'npx @packs/cli build',
    'npx -y @packs/cli mcp',
    '"args": ["-y", "@packs/cli", "mcp"]',
    'npm install --save-dev @packs/cli',
    'npm i @packs/client @packs/codec',
    'npm install ai @packs/ai-sdk',
    'pnpm add @packs/client',
    'pnpm dlx @packs/cli build',
    'bunx @packs/cli build',
    'run `npm install -g @packs/server@0.4.0`',
  ])('are found: %s', (line) => {
    expect(line).toMatch(FETCHES)
  })

  it.each([
    'npm install ~/packs-tarballs/*.tgz',
    'npm install ./packs-cli-0.4.0.tgz',
    'npx -y pnpm@12 --filter @packs/codec pack',
    'the tarball of @packs/server',
    'npx node node_modules/@packs/cli/bin/pack.js',
  ])('are not found: %s', (line) => {
    expect(line).not.toMatch(FETCHES)
  })
})

it('actions of others are pinned to a commit, with the version', () => {
  const uses = find(listFiles(/\.(?:md|ya?ml)$/), /^\s*(?:- )?uses: /)
  expect(uses.length).toBeGreaterThan(6)
  const isPinned =
    /uses: (?:[\w.-]+\/[\w./-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+|OWNER\/REPOSITORY(?:\/comment)?@COMMIT\b.*)$/
  expect(uses.filter((line) => !isPinned.test(line))).toEqual([])
})

it('the package manager has an exact version, which the documented command can run', () => {
  const { packageManager } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as Record<
    string,
    string
  >
  expect(packageManager).toMatch(/^pnpm@12\.\d+\.\d+$/)
  // Otherwise an install with --frozen-lockfile fails without a lock of pnpm itself.
  expect(readFileSync(join(root, 'pnpm-workspace.yaml'), 'utf8')).toMatch(/^pmOnFail: ignore$/m)
})
