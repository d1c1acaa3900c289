// Last step of `pnpm start`: builds the examples, publishes them into a separate catalog (.packs/demo, or the folder given as
// argument) and serves it on this machine only.
import { join, relative } from 'node:path'
import { beginRun } from './demo/demo-run.ts'
import { buildExamples, prepareDemo } from './demo/prepare-demo.ts'
import { FIRST_PORT, serveDemo } from './demo/serve-demo.ts'

const root = join(import.meta.dirname, '..')
const folder = process.argv[2] ?? join(root, '.packs', 'demo')
const sources = join(root, 'examples', 'packs')
const built = join(folder, '..', 'examples')

const run = await beginRun()
console.log('Building and publishing the examples …\n')
const [{ pages, before, after }, { freeKey, proKey, claim }] = await Promise.all([
  buildExamples(sources, built),
  prepareDemo(sources, folder, run),
])
const server = await serveDemo(root, folder)
const { url } = server

const write = (count: number): string => count.toLocaleString('en')
const saved = ((100 * (before - after)) / before).toFixed(1)
const taken = new URL(url).port === String(FIRST_PORT) ? '' : ` Port ${FIRST_PORT} was taken.`
console.log(`${pages} pages, ${write(before)} → ${write(after)} tokens: ${saved} % less. The packs are in ${relative('', built)}.

Open ${url}, served to this machine until Ctrl-C.${taken}

Try the Free key in another terminal (10 requests a day, the beginning of each pack):
  curl -H 'x-api-key: ${freeKey}' -H 'accept: text/markdown' '${url}/api/v1/context?q=why+is+a+certificate+chain+not+trusted'

Whole packs, 1,000 requests a day, need Pro:
  pages     Sign in, "I have a code": ${claim.email}, ${claim.code}
  programs  export PACK_URL=${url} PACK_KEY=${proKey}

More: examples/README.md has programs, npx pack --help commands, ${join(relative('', folder), 'server.log')} the log.`)

process.exitCode = await server.ended
run.end()
