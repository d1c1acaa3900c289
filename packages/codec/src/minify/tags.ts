/** An attribute of a tag, with the white space before it. Offsets are in the text. */
export interface Attribute {
  readonly name: string
  /** Without quotes; empty if there is none. */
  readonly value: string
  readonly start: number
  readonly end: number
}

export interface Tag {
  readonly name: string
  readonly closes: boolean
  /** `<br/>`, or an element that has no content. */
  readonly isEmpty: boolean
  readonly attributes: readonly Attribute[]
  readonly start: number
  readonly end: number
}

const NAME = /[A-Za-z][\w.:-]*/y
const ATTRIBUTE = /\s+([^\s"'<>/={}]+)(?:\s*=\s*(?:"([^"]*)"|'([^']*)'|\{([^{}]*)\}|([^\s"'=<>`{}]+)))?/y
const TAG_END = /\s*\/?>/y
const VOID = /^(?:area|base|br|col|embed|hr|img|input|link|meta|source|track|wbr)$/i

/** Reads the tag at a `<`; undefined if there is none that it understands. */
export function readTag(text: string, start: number): Tag | undefined {
  const closes = text.charCodeAt(start + 1) === 47
  NAME.lastIndex = start + (closes ? 2 : 1)
  const name = NAME.exec(text)?.[0]
  if (name === undefined) return undefined
  let offset = NAME.lastIndex
  const attributes: Attribute[] = []
  for (;;) {
    ATTRIBUTE.lastIndex = offset
    const found = ATTRIBUTE.exec(text)
    if (found === null) break
    const value = found[2] ?? found[3] ?? found[4] ?? found[5] ?? ''
    attributes.push({ name: found[1]!, value, start: offset, end: ATTRIBUTE.lastIndex })
    offset = ATTRIBUTE.lastIndex
  }
  TAG_END.lastIndex = offset
  if (!TAG_END.test(text)) return undefined
  const end = TAG_END.lastIndex
  const isEmpty = VOID.test(name) || text.charCodeAt(end - 2) === 47
  return { name, closes, isEmpty, attributes, start, end }
}

const LAYOUT_TAGS = new Set(['span', 'div', 'font', 'center', 'picture', 'source', 'section', 'figure'])
/** Components that only arrange what they hold. */
const LAYOUT_COMPONENT =
  /^(?:Tabs|Steps|Cards|CardGrid|CardGroup|Columns|Column|Grid|Row|Col|Box|Flex|Stack|Container|Center|Fragment|Frame)$/

/** Classes that arrange, align or size. Any other class may be all that a reader sees. */
const LAYOUT_CLASS =
  /^(?:container(?:-fluid)?|wrapper|row|rows|column|columns|col(?:-[\w-]+)?|grid(?:-[\w-]+)?|flex(?:-[\w-]+)?|center|centered|left|right|text-(?:left|right|center|justify|start|end)|align-[\w-]+|justify-[\w-]+|items-[\w-]+|float-[\w-]+|clearfix|image-[\w-]+|img-(?:fluid|responsive)|caption|d-(?:flex|block|grid)|[mp][xytrbl]?-(?:auto|\d+)|w-\d+|h-\d+|gap-\d+|no[-_]toc|fs-\d+|annotate|mx-auto|responsive)$/

export function hasOnlyLayoutClasses(value: string): boolean {
  const names = value.split(/\s+/)
  return names.every((name) => name === '' || LAYOUT_CLASS.test(name))
}

/** Properties that arrange or size. Others may color, raise, number, hide or strike out. */
const LAYOUT_STYLE =
  /^\s*(?:(?:(?:min-|max-)?(?:width|height)|(?:margin|padding|border|flex|grid|justify|align)[a-z-]*|text-align|float|clear|gap|font-family|line-height|object-fit|aspect-ratio|box-shadow|font-size(?!\s*:\s*0)|display(?!\s*:\s*none))\s*:[^:;]*(?:;\s*|$))*$/i
const LAYOUT_ATTRIBUTES = new Set(['id', 'width', 'height', 'align', 'key', 'ref', 'slot', 'aria-hidden'])

/** Whether an attribute says nothing to a reader of the text. */
export function isLayoutAttribute(tag: Tag, { name, value }: Attribute): boolean {
  const isComponent = /[A-Z.-]/.test(tag.name)
  if (name === 'class' || name === 'className') return hasOnlyLayoutClasses(value)
  if (name === 'style') return LAYOUT_STYLE.test(value)
  if (isComponent) return /^on[A-Z]/.test(name)
  if (name.startsWith('data-')) return /^(?:true|false)?$/.test(value)
  if (/^on[A-Za-z]+$/.test(name)) return true
  return LAYOUT_ATTRIBUTES.has(name) || (name === 'name' && tag.name === 'a')
}

/** Whether a tag says nothing once it has no layout attributes. */
export function isLayoutTag(tag: Tag): boolean {
  const isListed = LAYOUT_TAGS.has(tag.name) || LAYOUT_COMPONENT.test(tag.name) || tag.name === 'a'
  if (!isListed || (tag.isEmpty && tag.name !== 'source')) return false
  if (tag.name === 'source') return true
  return tag.attributes.every((attribute) => isLayoutAttribute(tag, attribute))
}

/** Elements whose text is code or is read as it is written. */
export const VERBATIM_TAG: RegExp = /^(?:pre|textarea|code|samp|script|style|kbd|svg|math)$/i
