import { fstatSync, statSync } from 'node:fs'

/** Tells whether an output is the file that an input is read from (`-` for stdin), by whatever name or link. */
export function isSameFile(input: string, output: string): boolean {
  try {
    const target = statSync(output, { bigint: true })
    const source = input === '-' ? fstatSync(0, { bigint: true }) : statSync(input, { bigint: true })
    return target.isFile() && source.dev === target.dev && source.ino === target.ino
  } catch {
    // What cannot be looked at is told of when it is read or written.
    return false
  }
}
