import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { parseSource } from '../../src/pack.ts'
import { countRuns } from '../../../test-kit/test/count-runs.ts'

const parse = (text: string | Uint8Array, path = 'docs/guide.md') => parseSource(text, { path })

/** Every message as `line:column severity rule`. */
const listMessages = (text: string | Uint8Array, path?: string): string[] =>
  parse(text, path).messages.map(
    ({ line, column, fatal, ruleId }) =>
      `${line}:${column} ${fatal === true ? 'error' : fatal === false ? 'warning' : 'info'} ${ruleId}`,
  )

const NAMED = 'slug: a\ntitle: A\ndomain: D\nsubdomain: S\ndifficulty: expert\n'

/** A front matter in which nothing is missing, the beginning of one with a glossary, and of a region. */
const HEAD = `---\n${NAMED}---\n`
const RULES = '---\nglossary:\n'
const OPEN = '<!-- pack:verbatim -->'

describe('parseSource', () => {
  test('reads every field', () => {
    const { source, messages } = parse(
      [
        '---',
        'slug: tls-basics',
        'title: "TLS: basics"',
        'version: "1.2.0"',
        'domain: Web security',
        'subdomain: Transport',
        'difficulty: beginner',
        'compression: dense-2',
        'code: true',
        'tokenizer: cl100k_base',
        'budget: 8000',
        'glossary:',
        '  - {expansion: certificate transparency log, term: CTL}',
        '  - {expansion: internal code name, never: true}',
        '---',
        '# TLS',
        '',
      ].join('\n'),
    )
    expect(messages).toEqual([])
    expect(source).toMatchObject({
      path: 'docs/guide.md',
      slug: 'tls-basics',
      title: 'TLS: basics',
      version: '1.2.0',
      domain: 'Web security',
      domainSlug: 'web-security',
      subdomain: 'Transport',
      difficulty: 'beginner',
      compression: 'dense-2',
      code: true,
      tokenizer: 'cl100k_base',
      budget: 8000,
      glossary: [
        { expansion: 'certificate transparency log', term: 'CTL' },
        { expansion: 'internal code name', never: true },
      ],
      body: '# TLS\n',
      bodyLine: 16,
      assumed: [],
    })
    expect(source?.positions.get('slug')).toEqual({ line: 2, column: 7 })
    expect(source?.positions.get('glossary.1.expansion')).toEqual({ line: 14, column: 17 })
  })

  test('assumes missing fields, with one info', () => {
    const { source, messages } = parse('intro\n\n## The *first* `heading`\n\n# Second\n')
    expect(source).toMatchObject({
      slug: 'guide',
      title: 'The first heading',
      domain: 'General',
      domainSlug: 'general',
      subdomain: 'General',
      difficulty: 'intermediate',
      compression: 'minify-1',
      code: true,
      tokenizer: 'o200k_base',
      glossary: [],
      bodyLine: 1,
      assumed: ['slug', 'title', 'domain', 'subdomain', 'difficulty'],
    })
    expect(source).not.toHaveProperty('version')
    expect(source).not.toHaveProperty('budget')
    expect(messages).toHaveLength(1)
    expect(messages[0]?.reason).toBe(
      'Assumed slug "guide" (from the file name), title "The first heading" (from the first heading), domain "General", subdomain "General", difficulty "intermediate"',
    )
    expect(String(messages[0])).toContain('docs/guide.md:1:1')
    expect(messages[0]?.fatal).toBe(undefined)
    expect(messages[0]?.names).toEqual(['slug', 'title', 'domain', 'subdomain', 'difficulty'])
  })

  test.each([
    ['docs/TLS Basics.md', undefined, 'tls-basics'],
    ['docs/README.md', undefined, 'docs'],
    ['docs\\index.markdown', undefined, 'docs'],
    ['./README.md', 'My Folder', 'my-folder'],
    ['README.md', undefined, 'readme'],
    ['Crème brûlée.md', undefined, 'creme-brulee'],
    // printf 指南 | sha256sum
    ['指南.md', undefined, 'zhinan'],
    ['docs/download.md', undefined, 'download-pack'],
    ['a.b.c.md', undefined, 'a-b-c'],
  ])('takes the slug from %s in %s', (path, folder, slug) => {
    const options = folder === undefined ? { path } : { path, folder }
    expect(parseSource('', options).source?.slug).toBe(slug)
  })

  test('takes the title from the file name where there is no heading', () => {
    expect(parse('```\n# code\n```\n<!--\n# comment\n-->\n').source?.title).toBe('guide')
  })

  test.each([
    ['no front matter', 'a\r\nb\uFEFF\0', 'a\r\nb\uFEFF\0'],
    ['a byte-order mark without front matter belongs to the body', '\uFEFF# A', '\uFEFF# A'],
    ['a byte-order mark before front matter does not', `\uFEFF---\n${NAMED}---\nbody`, 'body'],
    ['CRLF', `---\r\nslug: a\r\n---\r\n\r\nbody\r\n`, '\r\nbody\r\n'],
    ['white space after the lines', `---  \nslug: a\n---\t\nbody`, 'body'],
    ['the end of the file ends the front matter', `---\nslug: a\n---`, ''],
    ['an empty front matter', '---\n---\nbody', 'body'],
    ['comments only', '---\n# nothing\n---\nbody', 'body'],
    ['a line that begins like the end', '---\nslug: a\ntitle: "x ---"\n---\n---more', '---more'],
    ['a longer rule', '----\ntext\n', '----\ntext\n'],
  ])('body: %s', (_name, text, body) => {
    expect(parse(text).source?.body).toBe(body)
    expect(parse(new TextEncoder().encode(text)).source?.body).toBe(body)
  })

  test.each<[name: string, text: string, ...expected: string[]]>([
    ['text between fences', '---\njust text\n---\n', '1:1 info front-matter-not-a-map'],
    ['a list', '---\n- a: b\n---\n', '1:1 info front-matter-not-a-map'],
    ['a list in brackets', '---\n[a, b: c]\n---\n', '1:1 info front-matter-not-a-map'],
    ['a key twice', `---\n${NAMED}slug: b\n---\n`, '7:1 error duplicate-key'],
    [
      'a key twice in a rule',
      `---\n${NAMED}glossary:\n  - {term: A, term: B}\n---\n`,
      '8:15 error duplicate-key',
    ],
    ['an unknown key', `---\n${NAMED}verson: b\n---\n`, '7:1 warning unknown-key'],
    [
      'an unknown key in a rule',
      `---\n${NAMED}glossary:\n  - {expansion: a b, terms: AB}\n---\n`,
      '8:22 warning unknown-key',
    ],
    ['a number as version', `---\n${NAMED}version: 1.0\n---\n`, '7:10 info kept-value'],
    ['two numbers as version', `---\n${NAMED}version: "1.0"\n---\n`, '7:10 info kept-value'],
    ['an empty value', `---\n${NAMED}version:\n---\n`, '7:1 info kept-value'],
    ['a wrong scheme, CRLF', '---\r\nslug: a\r\ncompression: zip\r\n---\r\n', '3:14 error invalid-value'],
    ['a wrong slug after a byte-order mark', '\uFEFF---\nslug: A b\n---\n', '2:7 info kept-value'],
    ['a reserved slug', '---\nslug: download\n---\n', '2:7 info kept-value'],
    ['yes for true', '---\ncode: yes\n---\n', '2:7 info kept-value'],
    ['a budget of 0', '---\nbudget: 0\n---\n', '2:9 error invalid-value'],
    ['a rule without expansion', '---\nglossary:\n  - {term: A}\n---\n', '3:5 error invalid-value'],
    ['a number as term', `${RULES}  - {expansion: a b, term: 5}\n---\n`, '3:28 error invalid-value'],
    ['a term with white space', `${RULES}  - {expansion: a b, term: A B}\n---\n`, '3:28 error invalid-value'],
    [
      'a term that is never used',
      `${RULES}  - {expansion: a b, term: AB, never: true}\n---\n`,
      '3:39 error invalid-value',
    ],
    [
      'one phrase twice, one term twice',
      `${RULES}  - {expansion: a b, term: AB}\n  - {expansion: a b}\n  - {expansion: b a, term: AB}\n---\n`,
      '4:17 error invalid-value',
      '5:28 error invalid-value',
    ],
    ['a lone surrogate in a title', '---\ntitle: "\\uD800"\n---\n', '2:8 info kept-value'],
    [
      'everything at once, in order',
      '---\nslug: A\ntitel: x\nbudget: many\n---\n<!-- /pack -->\n',
      '2:7 info kept-value',
      '3:1 warning unknown-key',
      '4:9 error invalid-value',
      '6:1 error directive-stray',
    ],
    ['an unclosed region', `${HEAD}a\n\n  ${OPEN}\nb`, '10:3 error directive-unclosed'],
    [
      'a nested region',
      `${HEAD}${OPEN}\n${OPEN}\n<!-- /pack -->\n<!-- /pack -->`,
      '9:1 error directive-nested',
    ],
    ['a stray end', `${HEAD}a\r\n<!-- /pack -->\r\n`, '9:1 error directive-stray'],
    [
      'an unknown directive and its end',
      `${HEAD}<!-- pack:verbatm -->\n<!-- /pack -->\n`,
      '8:1 warning directive-unknown',
    ],
    ['a directive beside text', `${HEAD}a ${OPEN} b\n`, '8:3 warning directive-inline'],
    ['directives that are shown', `${HEAD}Write \`${OPEN}\`\n\n~~~\n${OPEN}\n~~~\n`],
  ])('reports %s', (_name, text, ...expected) => {
    const messages = listMessages(text)
    expect(messages.filter((message) => !/ info (?:assumed-fields|passed-through)$/.test(message))).toEqual(
      expected,
    )
    const hasError = expected.some((message) => message.includes(' error '))
    expect(parse(text).source === undefined).toBe(hasError)
  })

  test.each([
    ['---\ntitel: x\n---\n', 'Unknown key "titel", kept for other tools', 'Did you mean "title"?'],
    [
      '---\ndomain-slug: x\n---\n',
      'Unknown key "domain-slug", kept for other tools',
      'Did you mean "domain_slug"?',
    ],
    [
      '---\npack:\n  version: 1.0\n---\n',
      'version must be three numbers in quotes, major.minor.patch; found the number 1.0',
      'Write it like version: "1.2.0"; without quotes 1.0 is a number.',
    ],
    [
      '---\npack: {difficulty: begginer}\n---\n',
      'difficulty must be one of beginner, intermediate, advanced, expert; found "begginer"',
      'Choose by what readers should already know. Did you mean "beginner"?',
    ],
    [
      '---\nglossary:\n  - {term: A}\n---\n',
      'expansion of rule 1 of glossary must be the phrase as it occurs in the text; found nothing',
      'Every rule needs one.',
    ],
    ['<!-- pack:verbatm -->', 'Unknown directive "pack:verbatm"', 'Did you mean "pack:verbatim"?'],
  ])('says what is wrong, what was found, and what to do: %j', (text, reason, hint) => {
    const [message] = parse(text).messages
    expect(message?.reason).toBe(reason)
    expect(message?.note).toBe(hint)
    expect(message?.source).toBe('packs')
    expect(message?.file).toBe('docs/guide.md')
  })

  test('quotes at most 80 characters', () => {
    const reason = parse(`---\nslug: ${'A'.repeat(500)}\n---\n`).messages[0]?.reason ?? ''
    expect(reason).toContain(`"${'A'.repeat(80)}…"`)
    expect(reason.length).toBeLessThan(300)
  })

  test.each([
    ['a Latin-1 letter', [0x61, 0x0a, 0x62, 0xe9, 0x20], '2:2', 'byte 0xE9 at offset 3'],
    ['an end inside a character', [0x61, 0xe4, 0xb8], '1:2', 'byte 0xE4 at offset 1'],
    ['a stray continuation', [0xc3, 0xa9, 0x80], '1:2', 'byte 0x80 at offset 2'],
    ['an overlong form', [0xc0, 0x80], '1:1', 'byte 0xC0 at offset 0'],
    ['an encoded surrogate', [0x61, 0xed, 0xa0, 0x80], '1:2', 'byte 0xED at offset 1'],
    ['beyond Unicode', [0xf4, 0x90, 0x80, 0x80], '1:1', 'byte 0xF4 at offset 0'],
    ['0xFF', [0xff], '1:1', 'byte 0xFF at offset 0'],
  ])('names the byte that is not valid UTF-8: %s', (_name, bytes, place, found) => {
    const { source, messages } = parse(Uint8Array.from(bytes))
    expect(source).toBeUndefined()
    expect(messages.map(({ line, column, ruleId }) => `${line}:${column} ${ruleId}`)).toEqual([
      `${place} invalid-utf8`,
    ])
    expect(messages[0]?.reason).toContain(found)
  })

  test('refuses a lone surrogate in a text', () => {
    expect(listMessages('a\nb\uD800')).toEqual(['2:2 error invalid-utf8'])
  })

  test('accepts 16 MiB and no byte more', () => {
    const most = new Uint8Array(16 * 1024 * 1024).fill(0x61)
    expect(parse(most).source?.body.length).toBe(16_777_216)
    const { source, messages } = parse(new Uint8Array(16 * 1024 * 1024 + 1).fill(0x61))
    expect(source).toBeUndefined()
    expect(messages[0]?.reason).toBe('The source has 16777217 bytes, more than 16777216')
    expect(messages[0]?.ruleId).toBe('source-too-large')
    expect(listMessages('é'.repeat(8 * 1024 * 1024) + 'a')).toEqual(['1:1 error source-too-large'])
  })

  test('counts a title in characters', () => {
    expect(parse(`---\ntitle: ${'𝒳'.repeat(300)}\n---\n`).source?.title).toBe('𝒳'.repeat(300))
    expect(listMessages(`---\npack:\n  title: ${'𝒳'.repeat(301)}\n---\n`)).toEqual([
      '3:10 error invalid-value',
    ])
    expect(parse(`# ${'x'.repeat(400)}`).source?.title).toBe(`${'x'.repeat(299)}…`)
  })

  test.each([
    [
      'aliases that unfold',
      'a: &a [x,x,x,x,x,x,x,x,x]\nb: &b [*a,*a,*a,*a,*a,*a,*a,*a,*a]\nc: &c [*b,*b,*b,*b,*b,*b,*b,*b,*b]\nd: [*c,*c,*c,*c,*c,*c,*c,*c,*c]\n',
      'front-matter-yaml',
    ],
    ['nesting without end', `a: ${'['.repeat(100_000)}\n`, 'front-matter-yaml'],
    ['a front matter too large', `# ${'x'.repeat(262_144)}\n`, 'front-matter-too-large'],
    ['two thousand keys', Array.from({ length: 2_000 }, (_, index) => `k${index}: 1\n`).join(''), undefined],
  ])('stays bounded: %s', (_name, yaml, rule) => {
    const warnings = parse(`---\n${yaml}---\n`).messages.filter(({ fatal }) => fatal === false)
    expect(warnings.map(({ ruleId }) => ruleId)).toEqual(rule === undefined ? [] : [rule])
  })

  test('keys of every object are data', () => {
    const { source, messages } = parse('---\n__proto__: {slug: evil}\nconstructor: 1\nslug: a\n---\n')
    expect(source?.slug).toBe('a')
    expect(messages.flatMap(({ names = [] }) => names)).toContain('__proto__')
    expect(Object.entries(source?.metadata ?? {})).toEqual([
      ['__proto__', { slug: 'evil' }],
      ['constructor', 1],
    ])
    expect(({} as { slug?: string }).slug).toBeUndefined()
  })

  test('keeps the bytes of every body, for any front matter', () => {
    const value = fc.oneof(fc.string(), fc.integer(), fc.boolean(), fc.constant(null))
    const yaml = fc
      .dictionary(fc.constantFrom('slug', 'title', 'x', 'budget', 'glossary'), value)
      .map((values) =>
        Object.entries(values)
          .map(([key, entry]) => `${key}: ${JSON.stringify(entry)}\n`)
          .join(''),
      )
    const body = fc
      .string({ unit: 'binary' })
      .filter((text) => !text.startsWith('---') && !/\p{Cs}/u.test(text))
    let parsed = 0
    fc.assert(
      fc.property(
        fc.constantFrom('', '\uFEFF'),
        yaml,
        fc.constantFrom('\n', '\r\n'),
        body,
        (mark, front, newline, rest) => {
          const text = `${mark}---${newline}${front.replaceAll('\n', newline)}---${newline}${rest}`
          const { source, messages } = parse(new TextEncoder().encode(text))
          expect(source !== undefined || messages.some(({ fatal }) => fatal === true)).toBe(true)
          if (source !== undefined) parsed++
          expect(source?.body ?? rest).toBe(rest)
          const bare = parse(new TextEncoder().encode(mark + rest)).source
          expect(bare?.body).toBe(mark + rest)
        },
      ),
      { numRuns: countRuns(100) },
    )
    expect(parsed).toBeGreaterThan(10)
  })
})

test('reports the first fifty messages of each rule, and the number of the others', () => {
  const rules = '  - {expansion: one phrase}\n'.repeat(73)
  const { messages } = parseSource(`---\nglossary:\n${rules}---\n<!-- /pack -->\n`, { path: 'a.md' })
  const told = messages.filter(({ ruleId }) => ruleId === 'invalid-value')
  expect(told).toHaveLength(51)
  expect(told.map(({ line }) => line)).toEqual(Array.from({ length: 51 }, (_, at) => at + 4))
  expect(told.at(-1)).toMatchObject({
    reason: '22 more messages of this rule, the first of them here',
    fatal: true,
  })
  expect(messages.filter(({ ruleId }) => ruleId === 'directive-stray')).toHaveLength(1)
})
