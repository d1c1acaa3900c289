export {
  defineConfig,
  type ByGlob,
  type GlossaryEntry,
  type LintLevel,
  type PacksConfig,
} from './config/packs-config.ts'
