// Last step of `pnpm start`: publishes the examples into a separate catalog (.packs/demo, or the folder given as argument) and
// serves it on this machine only.
import { join, relative } from 'node:path'
import { beginRun } from './demo/demo-run.ts'
import { prepareDemo } from './demo/prepare-demo.ts'
import { serveDemo } from './demo/serve-demo.ts'

const root = join(import.meta.dirname, '..')
const folder = process.argv[2] ?? join(root, '.packs', 'demo')
const shown = relative('', folder)

const run = await beginRun()
const demo = await prepareDemo(join(root, 'examples', 'packs'), folder, run)
console.log(`\n${demo.packs} packs are published in a separate catalog, ${shown}.`)
const server = await serveDemo(root, folder)
const { url } = server

console.log(`
Serving at ${url} until Ctrl-C, to this machine alone; the log is ${join(shown, 'server.log')}.

  ${url}/browse     packs to read and download: the beginning of each, or all of it when signed in as below
  ${url}/settings   choose "I have a code", and enter ${demo.claim.email}, the code ${demo.claim.code} and a password of your own
  ${url}/docs       the API's documentation
  ${url}/api/v1     the API

  free key   ${demo.freeKey}   10 requests a day, the beginning of each pack
  pro key    ${demo.proKey}   1,000 requests a day, whole packs

Try:

  curl -H 'x-api-key: ${demo.freeKey}' '${url}/api/v1/packs?search=tls'
  curl -H 'x-api-key: ${demo.proKey}' -H 'accept: text/markdown' ${url}/api/v1/packs/tls-certificates
  curl -s -H 'x-api-key: ${demo.proKey}' '${url}/api/v1/packs/tls-certificates?include=document' | npx pack decode -
`)

process.exitCode = await server.ended
run.end()
