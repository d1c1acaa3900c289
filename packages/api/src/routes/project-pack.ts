import type { PackVersion, Tier } from '@packs/catalog'
import type { Pack } from '@packs/codec/pack'
import { JSON_TYPE, MARKDOWN_TYPE } from '../response-cache/send-body.ts'
import { fullPackSchema, previewPackSchema } from './pack-schemas.ts'

/** Whom a pack is shown to, and how. */
export interface Projection {
  readonly tier: Tier
  readonly format: 'json' | 'markdown'
}

/** The text of a pack as a tier sees it. What the schema of the tier does not name never leaves. */
export function projectPack(version: PackVersion, projection: Projection): { text: string; type: string } {
  const texts = readTexts(version)
  if (projection.format === 'markdown') {
    return { text: writePaste(version, texts, projection.tier), type: MARKDOWN_TYPE }
  }
  return { text: JSON.stringify(projectFields(version, texts, projection.tier)), type: JSON_TYPE }
}

/** The fields of a pack as Pro callers see it, for downloads. */
export function projectFull(version: PackVersion): Record<string, unknown> {
  return projectFields(version, readTexts(version), 'pro')
}

type Texts = Pick<Pack, 'content' | 'rosetta' | 'preview_content'>

function readTexts({ document }: PackVersion): Texts {
  return JSON.parse(
    Buffer.from(document.buffer, document.byteOffset, document.byteLength).toString(),
  ) as Texts
}

function projectFields(version: PackVersion, texts: Texts, tier: Tier): Record<string, unknown> {
  const { document: _document, ...summary } = version
  switch (tier) {
    case 'pro':
      return fullPackSchema.parse({ ...summary, ...texts, preview: false })
    case 'free':
      return previewPackSchema.parse({
        ...summary,
        preview: true,
        rosetta: null,
        content: texts.preview_content,
      })
  }
}

/** What can be pasted into a prompt: the header, an empty line and the content; a pack without terms has no header. */
function writePaste({ compression }: PackVersion, texts: Texts, tier: Tier): string {
  if (tier === 'free') return texts.preview_content
  return compression === 'none' ? texts.content : `${texts.rosetta}\n\n${texts.content}`
}
