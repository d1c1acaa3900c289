import { createInProcessRunner } from '@packs/publisher'
import { expect, it } from 'vitest'
import { openTestCatalog, request, writeSource } from '../sources.ts'
import { actor } from '../../../test-kit/test/make-version.ts'

it('reports that the unchanged version is yanked', async () => {
  const { catalog } = await openTestCatalog()
  const runner = createInProcessRunner(catalog)
  const source = request(writeSource('y', '# Y\n'))
  await runner.publish([source])
  await catalog.packs.yank('y', '1.0.0', 'wrong', actor)
  expect(await runner.publish([source])).toMatchObject([
    {
      status: 'unchanged',
      reasons: [
        'the newest version has the same source',
        'y@1.0.0 is yanked: `pack yank y@1.0.0 --undo` restores it, --rebuild publishes it again',
      ],
    },
  ])
})
