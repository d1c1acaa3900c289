// Bundles the program into `packages/cli/dist`: its entry points, and the chunks that they share or import later. `tsc -b` writes only the
// types there (docs/decisions/0011-one-bundle.md). Also bundles the worker of the page /try, which browsers load, into `packages/web/dist`,
// as it is and compressed. With --check it writes nothing, and fails if the folders hold other bundles than the sources give. Plain
// JavaScript, because `pnpm install` runs it with the oldest Node.
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import { brotliCompressSync, brotliDecompressSync, constants } from 'node:zlib'
import { build } from 'esbuild'

const root = fileURLToPath(new URL('..', import.meta.url))
const cli = join(root, 'packages/cli')
const src = join(cli, 'src')
const dist = join(cli, 'dist')
const LICENSES = 'bundle-licenses.txt'
const web = join(root, 'packages/web')
const worker = join(web, 'dist/try-worker.js')

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

const { outputFiles: workerFiles, metafile: workerMetafile } = await build({
  absWorkingDir: root,
  entryPoints: [join(web, 'src/pages/try/try-worker.ts')],
  outfile: worker,
  bundle: true,
  minify: true,
  format: 'esm',
  platform: 'browser',
  // As those browsers of 2023 that have all else of the page.
  target: 'es2022',
  conditions: ['source'],
  // The page counts in o200k_base only.
  external: ['gpt-tokenizer/bpeRanks/cl100k_base'],
  legalComments: 'none',
  charset: 'utf8',
  metafile: true,
  write: false,
  logLevel: 'warning',
})
const workerLicenses = listLicenses(Object.keys(workerMetafile.inputs))
const workerCode = Buffer.from(`/*\n${workerLicenses}*/\n${workerFiles[0]?.text}`)
const isWorkerBuilt = isEqual(worker, workerCode) && isCompressed(`${worker}.br`, workerCode)

if (process.argv.includes('--check')) {
  const changed = [...files].filter(([name, data]) => !isEqual(join(dist, name), data)).map(([name]) => name)
  const wrong = [...changed, ...old].map((name) => `packages/cli/dist is not what its sources give (${name})`)
  if (!isWorkerBuilt) wrong.push('packages/web/dist/try-worker.js is not what its sources give')
  if (wrong.length > 0) {
    process.stderr.write(`${wrong[0]}: run \`pnpm build\`\n`)
    process.exitCode = 1
  }
} else {
  // Compressing takes seconds.
  if (!isWorkerBuilt) {
    mkdirSync(dirname(worker), { recursive: true })
    writeFileSync(`${worker}.br`, compress(workerCode))
    writeFileSync(worker, workerCode)
  }
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
 * @param {string} path
 * @param {Buffer} data
 */
function isCompressed(path, data) {
  try {
    return brotliDecompressSync(readFileSync(path)).equals(data)
  } catch {
    return false
  }
}

/** @param {Buffer} data */
function compress(data) {
  const { BROTLI_PARAM_QUALITY, BROTLI_PARAM_LGWIN, BROTLI_PARAM_SIZE_HINT } = constants
  const params = {
    [BROTLI_PARAM_QUALITY]: 11,
    [BROTLI_PARAM_LGWIN]: 24,
    [BROTLI_PARAM_SIZE_HINT]: data.length,
  }
  return brotliCompressSync(data, { params })
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
