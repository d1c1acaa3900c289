import type { PacksConfig } from './packs-config.ts'

/**
 * Returns its argument; gives a configuration in TypeScript or JavaScript its types.
 *
 * @example
 * export default defineConfig({ sources: ['docs'], domain: { 'docs/api': 'API' } })
 */
export function defineConfig(config: PacksConfig): PacksConfig {
  return config
}
