import type { OldScheme, Scheme } from './types.ts'

/** From unchanged to densest. */
export const SCHEME_NAMES: readonly Scheme[] = ['none', 'minify-1', 'dense-2', 'max-2']

/** The scheme that replaced each old one. */
const SUCCESSORS: Readonly<Record<OldScheme, Scheme>> = {
  'glossary-1': 'minify-1',
  'dense-1': 'dense-2',
  'max-1': 'max-2',
}

/** Returns the scheme that builds what the given one meant; undefined for no name of a scheme. */
export function findScheme(name: string): Scheme | undefined {
  const successor = Object.hasOwn(SUCCESSORS, name) ? SUCCESSORS[name as OldScheme] : undefined
  return successor ?? SCHEME_NAMES.find((scheme) => scheme === name)
}

/** Says what to write instead of a name that no encoder has. */
export function suggestScheme(name: string): string {
  const successor = findScheme(name)
  return successor === undefined
    ? `Use ${SCHEME_NAMES.join(', ')}.`
    : `Use ${successor}, which replaces ${name}.`
}
