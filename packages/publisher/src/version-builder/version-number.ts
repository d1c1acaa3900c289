import type { VersionLevel } from './reason.ts'

const MOST = 999_999_999

/** Gives the version that follows `version` at a level; a part that is full carries into the one before. */
export function raiseVersion(version: string, level: VersionLevel): string {
  const [major = 0, minor = 0, patch = 0] = parseVersion(version)
  if (level === 'patch' && patch < MOST) return `${major}.${minor}.${patch + 1}`
  if (level !== 'major' && minor < MOST) return `${major}.${minor + 1}.0`
  return `${major + 1}.0.0`
}

/** Below zero where `a` comes before `b`. */
export function compareVersions(a: string, b: string): number {
  const others = parseVersion(b)
  return parseVersion(a).reduce((found, part, at) => found || part - (others[at] ?? 0), 0)
}

function parseVersion(version: string): number[] {
  return version.split('.').map(Number)
}
