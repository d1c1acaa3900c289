/** What the messages about a build can be. */
export type BuildRule =
  | 'empty-body'
  | 'unsupported-scheme'
  | 'glossary-collision'
  | 'glossary-invalid'
  | 'pin-not-found'
  | 'pin-does-not-pay'
  | 'pin-excluded'
  | 'glossary-readability'
  | 'nothing-saved'
  | 'over-budget'
  | 'shared-rosetta'

/** `error`: there is no pack, or not the one asked for. `info`: nothing to do, good to know. */
export const buildRules: Readonly<Record<BuildRule, 'error' | 'warning' | 'info'>> = {
  'empty-body': 'warning',
  'unsupported-scheme': 'error',
  'glossary-collision': 'error',
  'glossary-invalid': 'error',
  'pin-not-found': 'warning',
  'pin-does-not-pay': 'info',
  'pin-excluded': 'info',
  'glossary-readability': 'warning',
  'nothing-saved': 'info',
  'over-budget': 'error',
  'shared-rosetta': 'error',
}
