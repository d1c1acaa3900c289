import { parentPort } from 'node:worker_threads'
import type { BuildRequest } from '../../src/build-run/read-source.ts'

// Takes the place of the builder: loops for ever on sources named loop.md.
parentPort?.on('message', ({ path, shown }: BuildRequest) => {
  while (shown === 'loop.md');
  parentPort?.postMessage({ path, shown, pack: null, slugPosition: null, text: 'built', messages: [] })
})
