import { serveTasks } from '@packs/codec/task-thread'
import type { BuildRequest } from '../../src/build-run/read-source.ts'

// Takes the place of the builder: loops for ever on sources named loop.md.
serveTasks(({ path, shown }: BuildRequest) => {
  while (shown === 'loop.md');
  return { path, shown, pack: null, slugPosition: null, text: 'built', messages: [] }
})
