import type { Lock, Pin } from '@packs/client'
import type { Command } from 'commander'
import { writeJson, writeResult } from '../../output/terminal.ts'
import { changePins, findLock, readPins, choosePins } from '../../lock/pinned-packs.ts'

const HELP = `
If one of the packs is not in the lock, none is removed. The packs stay in the cache folder of the user.

Examples:
  $ pack remove tls-certificates http-status-codes --json`

export function configure(command: Command): void {
  command
    .argument('<names...>', 'slugs of packs in the lock')
    .option('--lock <path>', 'lock to change; default: packs.lock beside package.json')
    .addHelpText('after', HELP)
}

export async function run(command: Command): Promise<void> {
  const { lock: named, json } = command.opts<{ lock?: string; json?: boolean }>()
  const place = findLock(named)
  const names = new Set(await choosePins(await readPins(place), command.args, place))
  let removed: readonly (readonly [string, Pin])[] = []
  await changePins(place, (lock): Lock => {
    const pins = Object.entries(lock.packs)
    removed = pins.filter(([slug]) => names.has(slug))
    return { ...lock, packs: Object.fromEntries(pins.filter(([slug]) => !names.has(slug))) }
  })
  const packs = removed.map(([slug, { version }]) => ({ slug, version }))
  if (json) writeJson({ ok: true, lock: place.shown, removed: packs })
  else for (const { slug, version } of packs) writeResult(`removed ${slug} ${version} from ${place.shown}\n`)
}
