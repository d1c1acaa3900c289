import { homedir, tmpdir, userInfo } from 'node:os'
import { isAbsolute, join } from 'node:path'

/**
 * Sets `HOME` if the user has no home folder without it: `HOME` may be empty, which would put caches below the current folder, and
 * in many containers the system does not know the user, so that `os.homedir` throws. The home is then a folder of temporary files.
 */
export function ensureHome(): void {
  if (isAbsolute(call(homedir))) return
  const known = call(() => userInfo().homedir)
  process.env['HOME'] = isAbsolute(known) ? known : join(tmpdir(), `packs-${process.getuid?.() ?? 'user'}`)
}

function call(find: () => string): string {
  try {
    return find()
  } catch {
    return ''
  }
}
