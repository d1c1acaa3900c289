import { parentPort } from 'node:worker_threads'
import type { BuildTask } from '../../src/build-run/build-source.ts'

// Takes the place of the builder: loops for ever on sources named loop.md.
parentPort?.on('message', ({ shown }: BuildTask) => {
  while (shown === 'loop.md');
  parentPort?.postMessage({ pack: null, text: `built ${shown}`, messages: [] })
})
