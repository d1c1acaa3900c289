/** Adds ten pins to a lock, one at a time. Arguments: the lock, the beginning of the slugs, the pin as JSON. */
import { updateLock } from '@packs/client/node'
import type { Pin } from '../../src/types.ts'

const [path = '', slug = '', pin = ''] = process.argv.slice(2)
for (let index = 0; index < 10; index++) {
  await updateLock(path, (lock) => {
    return { ...lock, packs: { ...lock.packs, [`${slug}-${index}`]: JSON.parse(pin) as Pin } }
  })
}
