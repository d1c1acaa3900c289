// Bundles the program into `packages/cli/dist`: its entry points, and the chunks that they share or import later. `tsc -b` writes only the
// types there (docs/decisions/0011-one-bundle.md). With --check it writes nothing, and fails if the folder holds another program than
// the sources give. Plain JavaScript, because `pnpm install` runs it with the oldest Node.
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import { build } from 'esbuild'

const root = fileURLToPath(new URL('..', import.meta.url))
const cli = join(root, 'packages/cli')
const src = join(cli, 'src')
const dist = join(cli, 'dist')
const LICENSES = 'bundle-licenses.txt'

const { outputFiles, metafile } = await build({
  absWorkingDir: root,
  entryPoints: ['main.ts', 'index.ts', ...listFiles(src, /-worker\.ts$/)].map((name) => join(src, name)),
  outbase: src,
  outdir: dist,
  bundle: true,
  splitting: true,
  format: 'esm',
  platform: 'node',
  target: 'node22.15',
  conditions: ['source'],
  // They load files of their own packages.
  external: ['gpt-tokenizer', 'jiti'],
  // For packages that are not ES modules.
  banner: {
    js: "import { createRequire as makeRequire } from 'node:module'\nconst require = makeRequire(import.meta.url)",
  },
  legalComments: 'none',
  metafile: true,
  write: false,
  logLevel: 'warning',
})
const files = new Map(outputFiles.map(({ path, contents }) => [relative(dist, path), Buffer.from(contents)]))
files.set(LICENSES, Buffer.from(listLicenses(Object.keys(metafile.inputs))))
const old = existsSync(dist) ? listFiles(dist, /\.js(?:\.map)?$/).filter((name) => !files.has(name)) : []

if (process.argv.includes('--check')) {
  const changed = [...files].filter(([name, data]) => !isEqual(join(dist, name), data)).map(([name]) => name)
  const wrong = [...changed, ...old]
  if (wrong.length > 0) {
    process.stderr.write(`packages/cli/dist is not what its sources give (${wrong[0]}): run \`pnpm build\`\n`)
    process.exitCode = 1
  }
} else {
  for (const [name, data] of files) {
    mkdirSync(dirname(join(dist, name)), { recursive: true })
    writeFileSync(join(dist, name), data)
  }
  for (const name of old) rmSync(join(dist, name))
}

/**
 * Lists the files of a folder and its subfolders.
 *
 * @param {string} folder
 * @param {RegExp} pattern
 */
function listFiles(folder, pattern) {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((name) => pattern.test(name))
}

/**
 * @param {string} path
 * @param {Buffer} data
 */
function isEqual(path, data) {
  return existsSync(path) && readFileSync(path).equals(data)
}

/**
 * Returns the licences of the packages in the bundle.
 *
 * @param {readonly string[]} paths
 */
function listLicenses(paths) {
  const folders = paths.map((path) => /^.*node_modules\/(?:@[^/]+\/)?[^/]+/.exec(path)?.[0] ?? [])
  const texts = [...new Set(folders.flat())].toSorted().map((folder) => {
    /** @type {{ name: string, version: string, license: string }} */
    const { name, version, license } = JSON.parse(readFileSync(join(root, folder, 'package.json'), 'utf8'))
    const file = readdirSync(join(root, folder)).find((entry) => /^licen[cs]e/i.test(entry))
    const text = file === undefined ? '' : `\n${readFileSync(join(root, folder, file), 'utf8').trim()}\n`
    return `${name} ${version} (${license})\n${text}`
  })
  return `The program contains these packages.\n\n${texts.join(`\n${'-'.repeat(80)}\n\n`)}`
}
