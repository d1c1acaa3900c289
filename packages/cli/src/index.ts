export { defineConfig, type ByGlob, type GlossaryEntry, type PacksConfig } from './config/packs-config.ts'
