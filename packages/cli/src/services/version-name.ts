import { CliError } from '../cli-error.ts'

/** A version as written on the command line. */
export interface VersionName {
  readonly slug: string
  readonly version: string
}

/** Parses `SLUG@VERSION`. @throws CliError `usage` */
export function parseVersionName(text: string): VersionName {
  const [, slug, version] =
    /^([a-z0-9]+(?:-[a-z0-9]+)*)@((?:0|[1-9]\d{0,8})\.(?:0|[1-9]\d{0,8})\.(?:0|[1-9]\d{0,8}))$/.exec(text) ??
    []
  if (slug !== undefined && version !== undefined) return { slug, version }
  throw new CliError(
    'usage',
    `${JSON.stringify(text.slice(0, 80))} is not the name of a version`,
    'write it like tls-basics@1.2.0',
  )
}
