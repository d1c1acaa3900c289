import { describe, expect, test } from 'vitest'
import { parseSource } from '../../src/pack.ts'
import { readPageState } from '../../src/source/front-matter/page-state.ts'
import type { Source } from '../../src/source/types.ts'

const read = (text: string): Source => {
  const { source } = parseSource(text, { path: 'a.md' })
  if (source === undefined) throw new Error('there is no source')
  return source
}

/** Every message as `line:column severity rule`, except for what each source with the keys of another tool gets. */
const listMessages = (text: string): string[] =>
  parseSource(text, { path: 'a.md' }).messages.flatMap(({ line, column, fatal, ruleId }) =>
    ruleId === 'assumed-fields' || ruleId === 'passed-through'
      ? []
      : [`${line}:${column} ${fatal === true ? 'error' : fatal === false ? 'warning' : 'info'} ${ruleId}`],
  )

describe('where front matter ends', () => {
  test.each([
    ['TOML', '+++\ntitle = "A"\n+++\nbody', 'A', 'body'],
    ['TOML after a byte order mark, CRLF', '\uFEFF+++\r\ntitle = "A"\r\n+++ \r\n\r\nbody', 'A', '\r\nbody'],
    ['TOML that begins with a table', '+++\n# comment\n[pack]\ntitle = "A"\n+++\nbody', 'A', 'body'],
    ['JSON', '{\n  "title": "A",\n  "x": {\n    "y": 1\n  }\n}\nbody', 'A', 'body'],
    ['JSON after a byte order mark, CRLF', '\uFEFF{ \r\n "title": "A"\r\n}\t\r\nbody', 'A', 'body'],
    ['YAML with dots at its end', '---\ntitle: A\n...\nbody\n---\n', 'A', 'body\n---\n'],
    ['YAML after a blank line and a comment', '---\n\n# note\ntitle: A\n---\nbody', 'A', 'body'],
    ['YAML in braces', '---\n{title: A}\n---\nbody', 'A', 'body'],
    ['a quoted key', '---\n"title": A\n---\nbody', 'A', 'body'],
    ['an empty front matter', '---\n---\n# A\n', 'A', '# A\n'],
    ['an empty TOML front matter', '+++\n\n+++\n# A\n', 'A', '# A\n'],
    ['an empty JSON front matter', '{\n}\n# A\n', 'A', '# A\n'],
    ['comments only', '---\n# layout: page\n\n---\n# A\n', 'A', '# A\n'],
  ])('%s', (_name, text, title, body) => {
    const source = read(text)
    expect(source).toMatchObject({ title, body })
    expect(source.frontMatter).toBe(text.slice(0, text.length - body.length))
    expect(listMessages(text)).toEqual([])
  })

  test.each([
    ['Liquid', '{% raw %}\n\n}\n'],
    ['a comment of MDX', '{\n  /* Draft. */\n}\n\n# Title\n'],
    ['a shortcode', '{{< figure >}}\n}\n'],
    ['a brace with text', '{ "a": 1 }\n'],
    ['a brace that nothing closes', '{\n  "a": 1\n'],
    ['a rule, then text', '---\n\nSome text: with a colon.\n'],
    ['a rule, then a heading', '---\n# A\n\ntext\n'],
    ['text between two rules', '---\n\nSome text.\n\n---\n\nMore.\n'],
    ['Liquid between two rules', '---\n\n{% include nav.html %}\n\n---\n'],
    ['a list between two rules', '---\n\n- one: a\n- two: b\n\n---\n'],
    ['a rule and nothing else', '---'],
    ['plus signs, then text', '+++\n\ntext\n'],
    ['four plus signs', '++++\na = 1\n++++\n'],
  ])('none: %s', (_name, text) => {
    const source = read(text)
    expect(source.body).toBe(text)
    expect(source).not.toHaveProperty('frontMatter')
    expect(source).not.toHaveProperty('metadata')
    expect(listMessages(text)).toEqual([])
  })

  test.each([
    ['with an info', 'title A', 'info'],
    ['with an info', 'Two lines\na note, and a link to http://a.b', 'info'],
    ['with a warning if a line has a key', 'title A\nslug: a', 'warning'],
  ])('text directly between two fences is kept in the body, %s', (_name, lines, severity) => {
    const text = `---\n${lines}\n---\nbody`
    expect(read(text).body).toBe(text)
    expect(listMessages(text)).toEqual([`1:1 ${severity} front-matter-not-a-map`])
  })
})

describe('front matter below something else', () => {
  test.each([
    ['a blank line', '\n---\ntitle: A\n---\nbody'],
    ['blanks', ' \t\n\n---\ntitle: A\n---\nbody'],
    ['two byte order marks', '\uFEFF\uFEFF---\ntitle: A\n---\nbody'],
    ['a byte order mark and CRLF', '\uFEFF\r\n---\r\ntitle: A\r\n---\r\nbody'],
    ['two spaces', '  ---\ntitle: A\n---\nbody'],
    ['comments', '<!-- a -->\n<!--\nb: c\n-->\n\n---\ntitle: A\n---\nbody'],
    ['a blank line, TOML', '\n+++\ntitle = "A"\n+++\nbody'],
    ['a comment, JSON', '<!-- a -->\n{\n"title": "A"\n}\nbody'],
    ['the start of a comment', '<!--\n---\ntitle: A\n---\n-->\nbody'],
    ['the start of a comment, TOML, and text', '<!--\n\n+++\ntitle = "A"\n+++\nnote -->body'],
    ['nothing: an object on one line', '{"title": "A", "x": {"y": "}"}}\nbody'],
    ['a blank line: an object that ends within a line', '\n{ "title":\n "A" }\n\nbody'],
    ['nothing, with CR', '---\rtitle: A\rx:\r  - a\r---\rbody'],
    ['nothing, with CR CR LF', '---\r\r\ntitle: A\r\r\nx: y\r\r\n---\r\r\nbody'],
    ['nothing, with CR in lines', '---\nx: y\rtitle: A\n---\nbody'],
    ['nothing, TOML with CR', '+++\rtitle = "A"\rx = 1\r+++\rbody'],
  ])('%s', (_name, text) => {
    const { title, body, frontMatter } = read(text)
    expect([title, body.trimStart()]).toEqual(['A', 'body'])
    expect(frontMatter! + body).toBe(text)
    expect(listMessages(text)).toEqual([])
  })

  test.each([
    ['a rule and text', '\n---\n\nNote: text.\n\n---\n'],
    ['a rule directly above prose', '<!-- a -->\n---\nSome text: more.\n---\n'],
    ['a heading', '\n\nTitle: A\n---\n\nslug: a\n---\n'],
    ['code', '\n    ---\n    title: A\n---\n'],
    ['a fence that nothing closes', '\n---\ntitle: A\n\ntext\n'],
    ['lines of JSON', '{"a": 1}\n{"b": 2}\n'],
    ['an expression', '{\n  list.map((a) => a)\n}\n\ntext\n'],
    ['an expression of one line', '{props.title}\n\ntext\n'],
    ['an object within a line', '{"a": 1} is text.\n'],
    ['a comment of lines', '<!--\n--- a\n-->\n\ntitle: A\n---\n'],
  ])('none: %s', (_name, text) => {
    expect(read(text).body).toBe(text)
    expect(listMessages(text)).toEqual([])
  })

  test('any bytes: the front matter and the body are the source', () => {
    const parts = [
      '---',
      '+++',
      '{',
      '}',
      '\n',
      '\r',
      '\r\r\n',
      '\uFEFF',
      '<!--',
      '-->',
      ' ',
      '\t',
      '"',
      "'",
      ':',
    ]
    parts.push(
      'title: a',
      'draft = true',
      '"x": 1',
      ',',
      '#',
      '!x',
      '&a',
      '*a',
      '<<: *a',
      '[',
      ']',
      '\0',
      'é',
      '- ',
    )
    let seed = 7
    const pick = (count: number): number => (seed = (seed * 48_271) % 2_147_483_647) % count
    for (let run = 0; run < 3000; run++) {
      const start = ['', '---\n', '+++\n', '{\n', '\n---\n', '<!--\n---\n'][pick(6)]!
      const middle = Array.from({ length: pick(24) }, () => parts[pick(parts.length)]).join('')
      const text = `${start}${middle}\n${['', '---\n', '+++\n', '}\n', '---\n-->'][pick(5)]}body`
      const { source, messages } = parseSource(text, { path: 'a.md' })
      const isRepeated = messages.some(({ ruleId, fatal }) => ruleId === 'duplicate-key' && fatal === true)
      expect(source === undefined ? isRepeated : (source.frontMatter ?? '') + source.body === text).toBe(true)
      expect(() => readPageState(text)).not.toThrow()
    }
  })
})

describe('front matter that is not valid', () => {
  test.each([
    ['---\ntitle: a: b: c\nslug: x-y\n---\n', '2:8', 'a: b: c', { slug: 'x-y' }],
    ['---\ntitle: {#if ...}\nx: 1\n---\n', '2:9', '{#if ...}', { metadata: { x: 1 } }],
    ['---\ntitle: bind:\nx: "1"\n---\n', '2:8', 'bind:', { metadata: { x: '1' } }],
    ['---\ntitle: @html # note\n---\n', '2:8', '@html', {}],
    ["---\nx: %a\ntitle: 'A'\n---\n", '2:4', 'A', { metadata: { x: '%a' } }],
    ['---\ntags:\n\t- a\ntitle: A\n---\n', '3:1', 'A', {}],
    ['---\ntitle: "A\ntags: [a, b]\n---\n', '4:1', '"A', { tags: ['a', 'b'] }],
    ['---\ntitle: A\n--- b\nx: 1\n---\n', '3:1', 'A', { metadata: { x: 1 } }],
    ['---\ntitle: A\n{% include x %}\nx: y\n---\n', '3:2', 'A', { metadata: { x: 'y' } }],
    ['---\ntitle: *a\nx: [y]\n---\n', '2:1', '*a', { metadata: { x: ['y'] } }],
    ['---\ntitle: A\nbudget: "9\n---\n', '4:1', 'A', { metadata: { budget: '"9' } }],
    ["+++\ntitle = A\nx = 'y'\n[z]\na = 1\n+++\n", '2:9', 'A', { metadata: { x: 'y', z: { a: 1 } } }],
    ['+++\ntitle = "A"\nx = 1\nx = 2\n+++\n', '4:1', 'A', { metadata: { x: 2 } }],
    ['{\n "title": "A",\n}\n', '1:1', 'A', {}],
    ['{\n // a\n "title": "A"\n "x": {"y": 1}\n}\n', '4:2', 'A', { metadata: { x: { y: 1 } } }],
  ])('%j: the page stays', (text, place, title, values) => {
    const warnings = listMessages(text).filter((message) => message.includes('warning front-matter-'))
    expect(warnings).toEqual([expect.stringMatching(`^${place}`)])
    expect(read(text)).toMatchObject({ title, ...values })
  })

  test.each([
    ['unclosed', '---\nslug: a\n', 'front-matter-unclosed'],
    ['unclosed TOML', '+++\ntitle = "A"\n', 'front-matter-unclosed'],
    ['too large', `+++\n${'a = 1\n'.repeat(50_000)}+++\n`, 'front-matter-too-large'],
  ])('%s: it is text', (_name, text, rule) => {
    expect(read(text).body).toBe(text)
    expect(listMessages(text)).toEqual([`1:1 warning ${rule}`])
  })

  test('wrong values of ours are errors, at their lines', () => {
    expect(listMessages('---\ntitle: a: b\nbudget: few\n---\n')).toContain('3:9 error invalid-value')
    expect(listMessages('---\r\r\ntitle: a: b\r\r\nbudget: few\r\r\n---\r\r\n')).toContain(
      '5:9 error invalid-value',
    )
    expect(listMessages('+++\ntitle = a\nbudget = "few"\n+++\n')).toContain('3:10 error invalid-value')
  })

  test('tags of other tools are text, and merge keys are merged', () => {
    const yaml =
      'b: &b {domain: D, x: 1}\nc: &c {x: 2, y: 3}\n<<: [*b, *c]\nsite: !ENV [A, b]\nkey: !Ref\n  a: !Sub c\n'
    expect(read(`---\n${yaml}py: !!python/name:a.b.c\n"on": !x "y"\n---\n`)).toMatchObject({
      domain: 'D',
      metadata: {
        x: 1,
        y: 3,
        site: '!ENV [A, b]',
        key: '!Ref\n  a: !Sub c',
        py: '!!python/name:a.b.c',
        on: '!x "y"',
      },
    })
  })
})

test('a source says in a message that readers do not see its page', () => {
  const list = (text: string): string[] =>
    parseSource(text, { path: 'a.md' }).messages.flatMap(({ ruleId, reason }) =>
      ruleId === 'hidden-page' ? [reason] : [],
    )
  expect(list('---\ndraft: true\n---\n')).toEqual(['Readers of the site do not see this page: draft'])
  expect(list('---\nexpiryDate: 2020-01-01\n---\n')).toEqual([
    expect.stringContaining('the clock of the build'),
  ])
  expect(list('---\npublishDate: 2020-01-01\ndraft: false\n---\n')).toEqual([])
})

describe('readPageState', () => {
  test.each([
    ['YAML', '---\ndraft: yes\n---\n', 'draft'],
    ['a tag', '---\ndraft: !x "true"\n---\n', 'draft'],
    ['a merge', '---\nbase: &base\n  draft: true\n<<: *base\n---\n', 'draft'],
    ['CR', '---\rdraft: true\r---\r', 'draft'],
    ['CR CR LF', '---\r\r\ntitle: a\r\r\ndraft: true\r\r\n---\r\r\n', 'draft'],
    ['a colon beside it', '---\ntitle: a: b\ndraft: 1\n---\n', 'draft'],
    ['a colon beside it, indented', '---\ntitle: a: b\n  draft: maybe\n---\n', 'draft'],
    ['an explicit key', '---\n? draft\n: true\n---\n', 'unread'],
    ['an explicit key in quotes, indented', '---\n  ?  "draft"\n  : yes\n---\n', 'unread'],
    ['an explicit key beside a colon', '---\ntitle: a: b\n? draft\n: true\n---\n', 'draft'],
    ['a directive', '%YAML 1.2\n---\ndraft: true\n---\n', 'unread'],
    ['one long value', `---\ntitle: ${'x'.repeat(300_000)}\ndraft: true\n---\n`, 'unread'],
    ['one long value of JSON', `{"a":"${'x'.repeat(300_000)}","draft":true}\ntext\n`, 'unread'],
    ['too many keys', `+++\n${'a = 1\n'.repeat(60_000)}draft = true\n+++\n`, 'unread'],
    ['a long page', `---\ntitle: a\n---\n${'x'.repeat(300_000)}\ndraft: true\n`, undefined],
    ['a question in the body', '---\ntitle: a\n---\n? draft\n: true\n', undefined],
    ['false beside a colon', '---\ntitle: a: b\ndraft: false # not now\n---\n', undefined],
    ['the word beside a colon', '---\ntitle: a draft: b\n---\n', undefined],
    ['broken TOML', '+++\ntitle = a\ndraft = true\n+++\n', 'draft'],
    ['broken JSON', '{\n"draft": true,\n}\n', 'draft'],
    ['one line', '{"draft": true}\n\ntext\n', 'draft'],
    ['nothing else', '{"draft": true}', 'unread'],
    ['text after it', '{"a": 1, "draft": true} text\n', 'unread'],
    ['four dashes', '----\ndraft: true\n----\n', 'unread'],
    ['a language', '---yaml\ntitle: a\ndraft: true\n---\n', 'draft'],
    ['a language of gray-matter', '---toml\ndraft = true\n---\n', 'draft'],
    ['an object in fences', '--- json\n{"draft": true}\n---\n', 'draft'],
    ['a language that is not read', '---coffee\ndraft: true\n---\n', 'unread'],
    ['a comment of MDX', '{/* a */}\n\n---\ndraft: true\n---\n', 'unread'],
    ['a comment of Liquid', '{% comment %}x{% endcomment %}\n---\ndraft: true\n---\n', 'unread'],
    ['a comment of markdown', '[//]: # (a)\n\n---\ndraft: true\n---\n', 'unread'],
    ['invisible characters', '\u200b\0---\n\u2060draft\u200b: true\n---\n', 'unread'],
    ['full width', '－－－\n\u3000ｄｒａｆｔ：true\n－－－\n', 'unread'],
    ['an invisible character in the key', '---\n\u200bdraft: true\n---\n', 'draft'],
    ['a no-break space before the key', '---\n\u00a0draft: true\n---\n', 'draft'],
    ['indented fences', ' ---\ndraft: true\n ---\n', 'unread'],
    ['one long dash', '—\ndraft: true\n—\n', 'unread'],
    ['long dashes', '———\ndraft: true\n———\n', 'unread'],
    ['line separators', '---\u2028draft: true\u2028---\u2028', 'unread'],
    ['a second block', '---\ntitle: a\n---\n\n---\ndraft: true\n---\n', 'unread'],
    ['a rule below front matter', '---\ntitle: a\n---\n---\n\ntext\n\ndraft: true\n', undefined],
    ['an unclosed block', '---\ntitle: a\nDraft: "true"\n\n# A\n', 'unread'],
    ['a rule', '---\n\ntext\ndraft: true\n---\n', 'unread'],
    ['a comment and semicolons', '<!-- a -->\n;;;\n"draft": true\n;;;\n', 'unread'],
    ['no fences', 'title: a\ndraft: true\n\n# A\n', 'unread'],
    ['a large block', `---\ndraft: true\nx: ${'y'.repeat(262_144)}\n---\n`, 'unread'],
    ['a no-break space', '---\ndraft:\u00a0true\n---\n', 'unread'],
    ['prose', 'Write this:\ndraft: true\n', undefined],
    ['code', '```yaml\ndraft: true\n```\n', undefined],
    ['code below a rule', '---\n\ntext\n\n```yaml\n---\ndraft: true\n---\n```\n', undefined],
    ['a sentence', 'draft: true hides a page in Hugo.\n\n# A\n', undefined],
    ['a sentence below a note', 'note: x\nDraft: yes we can\n', undefined],
    ['indented code', '    draft: true\n\ntext\n', undefined],
    ['an export', 'export const meta = { draft: true }\n', undefined],
    ['true and false', '---\ndraft: true\ndraft: false\n---\n', 'draft'],
    ['a later line', '---\n\ntext\n\ndraft: true\n', undefined],
    ['a heading', '# A\n\ndraft: true\n', undefined],
    ['Hugo, never rendered', '---\nBuild:\n  Render: never\n---\n', 'unlisted page'],
    ['Hugo, never rendered, old', '+++\n[_build]\nrender = false\n+++\n', 'unlisted page'],
    ['Hugo, rendered', '---\nbuild: {render: always, list: never}\n---\n', undefined],
    ['Hugo, headless', '{"headless": true}\n\ntext\n', 'unlisted page'],
  ])('%s', (_name, text, kind) => {
    const state = readPageState(text)
    expect(state.isUnread ? 'unread' : state.kind).toBe(kind)
  })

  test.each([
    ['expiryDate: 2020-01-02', undefined, '2020-01-02T00:00:00.000Z'],
    ['UnpublishDate: "2020-01-02T03:04:05+02:00"', undefined, '2020-01-02T01:04:05.000Z'],
    ['publishdate: 2020-01-02 03:04:05', '2020-01-02T03:04:05.000Z', undefined],
    ['publishDate: 2020-01-02T03:04:05', '2020-01-02T03:04:05.000Z', undefined],
    ['pubDate: Jul 02 2020', '2020-07-02T00:00:00.000Z', undefined],
    ['published: 2020-01-02T03:04:05.123456789Z', '2020-01-02T03:04:05.123Z', undefined],
    ['published: true\npubdate: 2020-1-2 03:04:05 -0700 MST', '2020-01-02T10:04:05.000Z', undefined],
    ['publishDate: soon, 2020\nexpiryDate: 3', undefined, undefined],
  ])('%s', (yaml, from, until) => {
    const [first, last] = [from, until].map((time) => time && Date.parse(time))
    expect(readPageState(`---\n${yaml}\n---\n`)).toEqual({ from: first, until: last })
  })
})

describe('keys of ours', () => {
  const NAMED = ['slug: tls', 'title: A', 'version: "1.2.0"', 'domain: D', 'budget: 9', 'tags: [a, b]']

  test('the same values in YAML, TOML and JSON, at the top or under pack:', () => {
    const expected = {
      slug: 'tls',
      title: 'A',
      version: '1.2.0',
      domain: 'D',
      budget: 9,
      tags: ['a', 'b'],
      glossary: [{ expansion: 'a phrase', term: 'AP' }],
    }
    const rule = '{expansion: a phrase, term: AP}'
    const json = JSON.stringify(expected, null, 2)
    const toml = 'slug = "tls"\ntitle = "A"\nversion = "1.2.0"\ndomain = "D"\nbudget = 9\ntags = ["a", "b"]\n'
    for (const text of [
      `---\n${NAMED.join('\n')}\nglossary: [${rule}]\n---\n`,
      `---\npack:\n  ${NAMED.join('\n  ')}\n  glossary: [${rule}]\n---\n`,
      `+++\n${toml}[[glossary]]\nexpansion = "a phrase"\nterm = "AP"\n+++\n`,
      `+++\n[pack]\n${toml}[[pack.glossary]]\nexpansion = "a phrase"\nterm = "AP"\n+++\n`,
      `${json}\n`,
      `{\n "pack": ${json.replace(/\n\}$/, '}')}\n}\n`,
    ]) {
      const source = read(text)
      expect(source).toMatchObject(expected)
      expect(source).not.toHaveProperty('metadata')
      expect(listMessages(text)).toEqual([])
    }
  })

  test.each([
    ['slug: /guides/x', '2:7', 'slug', '/guides/x'],
    ['slug: download', '2:7', 'slug', 'download'],
    ['title: 404', '2:8', 'title', 404],
    ['version: 2.10', '2:10', 'version', 2.1],
    ['domain: [a]', '2:9', 'domain', ['a']],
    ['subdomain: {a: 1}', '2:12', 'subdomain', { a: 1 }],
    ['difficulty: easy', '2:13', 'difficulty', 'easy'],
    ['code: js', '2:7', 'code', 'js'],
    ['description: [a]', '2:14', 'description', ['a']],
    ['tags: {a: 1}', '2:7', 'tags', { a: 1 }],
    ['tags: [a, 1.10]', '2:11', 'tags', ['a', 1.1]],
    ['pack: basic', '2:7', 'pack', 'basic'],
  ])('%s at the top is kept for other tools, with an info', (line, place, key, value) => {
    const text = `---\n${line}\n---\n# A\n`
    expect(listMessages(text)).toEqual([`${place} info kept-value`])
    expect(read(text).metadata).toEqual({ [key]: value })
    const message = parseSource(text, { path: 'a.md' }).messages.find(({ ruleId }) => ruleId === 'kept-value')
    expect(message?.reason).toContain(' is kept for other tools; for packs it must be ')
    expect(message?.names).toEqual([key])
  })

  test.each([
    [
      'slug: hugo_build',
      'slug ("hugo_build") is kept for other tools; for packs it must be lower-case words of a-z and 0-9 with single hyphens ' +
        'between them, at most 100 characters',
      "Put the pack's value under pack:. Write it like tls-basics.",
    ],
    [
      'slug: download',
      'slug ("download") is kept for other tools; for packs it must be another one: this is a URL of the catalog',
      "Put the pack's value under pack:. Choose another slug.",
    ],
    [
      'difficulty: exprt',
      'difficulty ("exprt") is kept for other tools; for packs it must be one of beginner, intermediate, advanced, expert',
      'Put the pack\'s value under pack:. Choose by what readers should already know. Did you mean "expert"?',
    ],
  ])('says what a value for packs would be: %s', (line, reason, note) => {
    expect(parseSource(`---\n${line}\n---\n`, { path: 'a.md' }).messages).toContainEqual(
      expect.objectContaining({ reason, note }),
    )
  })

  test.each([
    ['slug: /guides/x', '3:9'],
    ['version: 2.1', '3:12'],
    ['tags: {a: 1}', '3:9'],
    ['budget: 0', '3:11'],
  ])('%s under pack: is an error', (line, place) => {
    expect(listMessages(`---\npack:\n  ${line}\n---\n`)).toEqual([`${place} error invalid-value`])
  })

  test.each(['compression: zip', 'budget: 0', 'glossary: a', 'tokenizer: b', 'domain_slug: A b'])(
    '%s at the top is an error, because no other tool has the key',
    (line) => {
      expect(listMessages(`---\n${line}\n---\n`)).toEqual([expect.stringMatching(/ error invalid-value$/)])
    },
  )

  test('a value under pack: leaves the one at the top to the other tool, without a message', () => {
    const text = '---\nversion: 2.1\nslug: /x\npack: {slug: x, version: "2.1.0"}\n---\n'
    expect(listMessages(text)).toEqual([])
    expect(read(text)).toMatchObject({ slug: 'x', version: '2.1.0', metadata: { version: 2.1, slug: '/x' } })
  })

  test('a key at the top that other tools use may have another case', () => {
    expect(read('---\nTitle: A\nTAGS: [b]\n---\n')).toMatchObject({ title: 'A', tags: ['b'] })
    const both = '---\nTitle: A\ntitle: B\n---\n'
    expect(read(both)).toMatchObject({ title: 'B', metadata: { Title: 'A' } })
    expect(listMessages(both)).toEqual([])
  })

  test('a key that looks like one of ours is not a typing error if that one is there too', () => {
    expect(listMessages('---\ntitles: a\nverson: 2\npack: {version: "1.0.0"}\n---\n')).toEqual([])
    expect(listMessages('---\nverson: 2\n---\n')).toEqual(['2:1 warning unknown-key'])
  })

  test.each([
    ['tilte', 'title'],
    ['verson', 'version'],
    ['difficulti', 'difficulty'],
    ['slgu', 'slug'],
    ['descripton', 'description'],
    ['buget', 'budget'],
    ['domain-slug', 'domain_slug'],
    ['Glossary', 'glossary'],
  ])('%s: did you mean %s', (key, meant) => {
    const { messages } = parseSource(`---\n${key}: x\n---\n`, { path: 'a.md' })
    expect(messages[0]).toMatchObject({ line: 2, column: 1, fatal: false, ruleId: 'unknown-key' })
    expect(messages[0]?.note).toBe(`Did you mean "${meant}"?`)
  })

  test('keys of other tools are no typing errors', () => {
    const keys =
      'tag date draft layout titles versions domains weight type mode node core codes slugs tabs page packs package plug ' +
      'titre tile domaine versión versjon difficulté glossar subtitle aliases categories permalink sidebar_position linkTitle outline template status'
    const { source, messages } = parseSource(
      `---\n${keys
        .split(' ')
        .map((key) => `${key}: x\n`)
        .join('')}---\n`,
      { path: 'a.md' },
    )
    expect(messages.map(({ ruleId, fatal }) => [ruleId, fatal])).toEqual([
      ['passed-through', undefined],
      ['assumed-fields', undefined],
    ])
    expect(messages[0]?.names).toEqual(keys.split(' '))
    expect(messages[0]?.reason).toMatch(/^Passed through: tag, date, draft, /)
    expect(Object.keys(source?.metadata ?? {})).toEqual(keys.split(' '))
  })

  test('a key of another tool twice is an info, and the last value is kept', () => {
    const text = '---\nweight: 1\nweight: 2\n---\n'
    expect(listMessages(text)).toEqual(['3:1 info duplicate-key'])
    expect(parseSource(text, { path: 'a.md' }).messages.map(({ names }) => names)).toContainEqual(['weight'])
    expect(read(text).metadata).toEqual({ weight: 2 })
    expect(listMessages('{\n"slug": "a",\n"slug": "b"\n}\n')).toEqual(['3:1 error duplicate-key'])
    expect(listMessages('---\npack:\n  title: a\n  title: b\n---\n')).toEqual(['4:3 error duplicate-key'])
  })
})

describe('description and tags', () => {
  test.each([
    ['description: Short.', 'Short.'],
    ['description: >\n  Two\n  lines.\n\n  And more.', 'Two lines. And more.'],
    ['description: |\n  Two\n  lines.\t', 'Two lines.'],
    ['description: ""', undefined],
    ['description:', undefined],
  ])('%j', (line, description) => {
    expect(listMessages(`---\n${line}\n---\n`)).toEqual([])
    expect(read(`---\n${line}\n---\n`).description).toBe(description)
  })

  test.each([
    ['tags: [tls, "web security", tls]', ['tls', 'web security']],
    ['tags: tls, web  security,,', ['tls', 'web security']],
    ['tags: web security', ['web security']],
    ['tags:\n  - 2024\n  - true\n  -\n  - " a "', ['2024', 'true', 'a']],
    ['tags: [{label: TLS, permalink: /tls}]', ['TLS']],
    ['tags: []', undefined],
    ['tags:', undefined],
    ['tags: ["", " "]', []],
  ])('%j', (line, tags) => {
    expect(listMessages(`---\n${line}\n---\n`)).toEqual([])
    expect(read(`---\n${line}\n---\n`).tags).toEqual(tags?.length === 0 ? undefined : tags)
  })

  test('limits: 1,000 characters, 100 tags, 100 characters for each', () => {
    expect(read(`---\ndescription: ${'𝒳'.repeat(1000)}\n---\n`).description).toHaveLength(2000)
    expect(listMessages(`---\ndescription: ${'x'.repeat(1001)}\n---\n`)).toEqual(['2:14 info kept-value'])
    const list = (count: number): string => Array.from({ length: count }, (_, at) => `t${at}`).join(', ')
    expect(read(`---\ntags: [${list(100)}]\n---\n`).tags).toHaveLength(100)
    expect(listMessages(`---\ntags: [${list(101)}]\n---\n`)).toEqual(['2:7 info kept-value'])
    expect(listMessages(`---\ntags: [${'x'.repeat(101)}]\n---\n`)).toEqual(['2:8 info kept-value'])
  })
})

describe('metadata', () => {
  test('values that JSON does not have become text, and data keeps its keys', () => {
    // prettier-ignore
    const yaml = [
      'date: 2024-05-01', 'nan: .nan', 'most: -.inf', 'large: 12345678901234567890', 'zero: -0.0',
      'nothing:', '10: ten', '2: two', '__proto__: {a: 1}', 'lone: "\\uD800"', 'base: &base {x: 1}',
      'alias: *base',
    ].join('\n')
    const { metadata = {} } = read(`---\n${yaml}\n---\n`)
    expect(Object.fromEntries(Object.entries(metadata).filter(([key]) => key !== '__proto__'))).toEqual({
      date: '2024-05-01',
      nan: 'NaN',
      most: '-Infinity',
      large: '12345678901234567890',
      zero: 0,
      nothing: null,
      2: 'two',
      10: 'ten',
      lone: '\uFFFD',
      base: { x: 1 },
      alias: { x: 1 },
    })
    expect(Object.hasOwn(metadata, '__proto__')).toBe(true)
    expect(Object.is(metadata['zero'], -0)).toBe(false)
    expect(JSON.parse(JSON.stringify(metadata))).toEqual(metadata)
  })

  test('dates and large numbers of TOML become text', () => {
    const toml =
      'day = 2024-05-01\nat = 2024-05-01T10:00:00+02:00\nlocal = 2024-05-01 10:00:00\nlarge = 9007199254740993\nnan = nan\n'
    expect(read(`+++\n${toml}+++\n`).metadata).toEqual({
      day: '2024-05-01',
      at: '2024-05-01T10:00:00.000+02:00',
      local: '2024-05-01T10:00:00.000',
      large: '9007199254740993',
      nan: 'NaN',
    })
  })

  test('16 levels and 64 KiB are kept, more is omitted with an info', () => {
    const nest = (levels: number): string => `x: ${'['.repeat(levels - 1)}${']'.repeat(levels - 1)}`
    // {"x":"…"} takes eight bytes beside the text.
    const fill = (bytes: number): string => `x: ${'y'.repeat(bytes - 8)}`
    for (const yaml of [nest(16), fill(65_536)]) {
      expect(listMessages(`---\n${yaml}\n---\n`)).toEqual([])
      expect(read(`---\n${yaml}\n---\n`).metadata).toHaveProperty('x')
    }
    for (const yaml of [nest(17), fill(65_537), `x: ${'é'.repeat(32_765)}`]) {
      const text = `---\ntitle: A\n${yaml}\n---\n`
      expect(listMessages(text)).toEqual(['3:1 info metadata-left-out'])
      expect(read(text)).not.toHaveProperty('metadata')
      expect(read(text).frontMatter).toBe(text)
    }
  })

  test.each([
    [
      'aliases of a long list',
      `---\na: &a [${'x,'.repeat(60_000)}x]\nb: [${'*a,'.repeat(90)}*a]\n---\n`,
      ['2:1 info metadata-left-out'],
    ],
    [
      'TOML lists without end',
      `+++\na = ${'['.repeat(200_000)}\n+++\n`,
      ['2:1 info metadata-left-out', '2:105 warning front-matter-toml'],
    ],
    [
      'JSON lists without end',
      `{\n"a": ${'['.repeat(200_000)}\n}\n`,
      ['2:1 info metadata-left-out', expect.stringMatching(/^2:\d+ warning front-matter-json$/)],
    ],
    [
      'JSON lists in each other',
      `{\n"a": ${'['.repeat(100_000)}${']'.repeat(100_000)}\n}\n`,
      ['2:1 info metadata-left-out'],
    ],
    ['16 MB of unclosed lines', `---\n${'# comment\n'.repeat(1_600_000)}`, []],
    [
      'many keys of JSON',
      `{\n${Array.from({ length: 20_000 }, (_, at) => `"k${at}": 1`).join(',\n')}\n}\n`,
      ['2:1 info metadata-left-out'],
    ],
    [
      'TOML with blank lines and texts that look like keys',
      '+++\n\na = """\nslug = "evil"\n"""\n\n[x]\nslug = 1\n\n[pack]\nslug = "A b"\n+++\n',
      ['11:8 error invalid-value'],
    ],
  ])('stays bounded: %s', (_name, text, expected) => {
    expect(listMessages(text)).toEqual(expected)
  })
})
