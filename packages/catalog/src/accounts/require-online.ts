import { CatalogError } from '../catalog-error.ts'
import type { Catalog } from '../catalog.ts'

/** @throws CatalogError `recovery_mode` unless the service is online */
export async function requireOnline({ settings }: Catalog): Promise<void> {
  const { mode } = await settings.mode()
  if (mode === 'online') return
  throw new CatalogError(
    'recovery_mode',
    'The service is in recovery mode: keys can neither be created nor used',
    'Wait until it is online again; an operator ends it with `pack mode online`.',
  )
}
