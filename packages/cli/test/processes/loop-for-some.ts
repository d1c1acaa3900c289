import { serveTasks } from '@packs/threads'
import type { BuildTask } from '../../src/build-run/build-source.ts'

// Takes the place of the builder: loops for ever on sources named loop.md.
serveTasks(({ shown }: BuildTask) => {
  while (shown === 'loop.md');
  return { pack: null, text: `built ${shown}`, messages: [] }
})
