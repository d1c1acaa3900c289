export { defineConfig } from './config/define-config.ts'
export type { ByGlob, GlossaryEntry, LintLevel, PacksConfig } from './config/packs-config.ts'
