const VERSION = /^(0|[1-9][0-9]{0,8})\.(0|[1-9][0-9]{0,8})\.(0|[1-9][0-9]{0,8})$/

/** A version as three numbers, so that databases sort it. */
export interface VersionNumber {
  readonly major: number
  readonly minor: number
  readonly patch: number
}

/** `undefined` for what is no version. */
export function parseVersion(version: string): VersionNumber | undefined {
  const [, major, minor, patch] = VERSION.exec(version) ?? []
  if (major === undefined) return undefined
  return { major: Number(major), minor: Number(minor), patch: Number(patch) }
}

export function formatVersion({ major, minor, patch }: VersionNumber): string {
  return `${major}.${minor}.${patch}`
}
