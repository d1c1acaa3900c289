// Joins the built modules of `pack` and of what it imports into one script, `packages/cli/dist/bundle.cjs`, which starts in a third of the
// time (docs/decisions/0011-one-script.md). Plain JavaScript, because `pnpm install` runs it with the oldest Node.
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join, relative, sep } from 'node:path'
import { fileURLToPath } from 'node:url'
import { build } from 'esbuild'

const dist = fileURLToPath(new URL('../packages/cli/dist/', import.meta.url))

/**
 * Modules that read files beside them find them where they are, though a script has no `import.meta`. What is imported in the middle of
 * a module is a part that not every run needs.
 *
 * @type {import('esbuild').Plugin}
 */
const modules = {
  name: 'modules',
  setup(setup) {
    setup.onLoad({ filter: /packages[\\/](?:cli|client|codec|search)[\\/]dist[\\/].*\.js$/ }, ({ path }) => {
      const name = relative(dist, path).replaceAll(sep, '/')
      const contents = readFileSync(path, 'utf8')
        .replaceAll('import.meta.url', `bundle.url('${name}')`)
        .replaceAll(/\bimport\('([^']+)'\)/g, `(bundle.use('${name} $1'), import('$1'))`)
        .replaceAll(/\bimport\((?!')/g, 'bundle.load(')
      return { contents }
    })
  },
}

/**
 * The ranks of a vocabulary are four times as large as all else, and needed once. They are loaded from the package that depends on them.
 *
 * @type {import('esbuild').Plugin}
 */
const ranks = {
  name: 'ranks',
  setup(setup) {
    setup.onResolve({ filter: /^gpt-tokenizer\/bpeRanks\// }, ({ path }) => ({ path, namespace: 'ranks' }))
    setup.onLoad({ filter: /^/, namespace: 'ranks' }, ({ path }) => ({
      contents: `
        import { createRequire } from 'node:module'
        const codec = createRequire(bundle.url('main.js')).resolve('@packs/codec')
        export default createRequire(codec)(${JSON.stringify(path)}).default`,
    }))
  },
}

const { metafile } = await build({
  entryPoints: [join(dist, 'program.js')],
  outfile: join(dist, 'bundle.cjs'),
  bundle: true,
  format: 'cjs',
  platform: 'node',
  target: 'node22.15',
  legalComments: 'none',
  banner: { js: '(function (require, module, bundle) {' },
  footer: { js: '})' },
  plugins: [modules, ranks],
  metafile: true,
  logLevel: 'warning',
})
writeFileSync(join(dist, 'bundle-licenses.txt'), listLicenses(Object.keys(metafile.inputs)))

/**
 * Returns the licences of the packages that the script contains.
 *
 * @param {readonly string[]} paths
 */
function listLicenses(paths) {
  const folders = paths.map((path) => /^.*\/node_modules\/(?:@[^/]+\/)?[^/]+/.exec(path)?.[0] ?? [])
  const texts = [...new Set(folders.flat())].toSorted().map((folder) => {
    /** @type {{ name: string, version: string, license: string }} */
    const { name, version, license } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'))
    const file = readdirSync(folder).find((entry) => /^licen[cs]e/i.test(entry))
    const text = file === undefined ? '' : `\n${readFileSync(join(folder, file), 'utf8').trim()}\n`
    return `${name} ${version} (${license})\n${text}`
  })
  return `bundle.cjs contains these packages.\n\n${texts.join(`\n${'-'.repeat(80)}\n\n`)}`
}
