import { createInProcessRunner } from '@packs/publisher'
import { expect, it } from 'vitest'
import { openTestCatalog, request, writeSource } from '../sources.ts'

it('says that what stays unchanged is yanked', async () => {
  const { catalog } = await openTestCatalog()
  const runner = createInProcessRunner(catalog)
  const source = request(writeSource('y', '# Y\n'))
  await runner.publish([source])
  await catalog.packs.yank('y', '1.0.0', 'wrong')
  expect(await runner.publish([source])).toMatchObject([
    {
      status: 'unchanged',
      reasons: [
        'the newest version is of this very source',
        'y@1.0.0 is yanked: `pack yank y@1.0.0 --undo` shows it again, --rebuild publishes it anew',
      ],
    },
  ])
})
