import fc from 'fast-check'
import { expect, test } from 'vitest'
import { digestText } from '../../src/pack/digests.ts'
import { derivePathSlug, withTable } from '../../src/source/derive-slug.ts'
import { parseSource } from '../../src/pack.ts'

test.each([
  ['guide.md', 'docs', 'guide'],
  ['Guides/Getting started.mdx', 'docs', 'guides-getting-started'],
  ['a/b/c.markdown', 'docs', 'a-b-c'],
  ['guides/index.md', 'docs', 'guides'],
  ['guides/_index.md', 'docs', 'guides'],
  ['guides/README.md', 'docs', 'guides'],
  ['guides\\tls\\readme.md', 'docs', 'guides-tls'],
  ['index.md', 'My Docs', 'my-docs'],
  ['_index.md', 'docs', 'docs'],
  ['README.md', undefined, 'readme'],
  ['./guides/../tls.md', 'docs', 'guides-tls'],
  ['a b/c--d/_e_.md', 'docs', 'a-b-c-d-e'],
  ['Crème/brûlée.md', 'docs', 'creme-brulee'],
  ['download.md', 'docs', 'download-pack'],
  ['api/download.md', 'docs', 'api-download'],
  ['指南/install.md', 'docs', 'zhinan-install'],
  ['指南/index.md', 'docs', 'zhinan'],
  ['Bases 简介.md', 'docs', 'bases-jianjie'],
  ['Bases 语法.md', 'docs', 'bases-yufa'],
  ['サーバー.md', 'docs', 'saba'],
  ['مرحبا بالعالم.md', 'docs', 'mrhb-bllm'],
  ['Объект.md', 'docs', 'obekt'],
  ['Łódź, Größe & Đồng.md', 'docs', 'lodz-grosse-dong'],
  // The same letters, composed and decomposed.
  ['\u00E9t\u00E9/\uAC00.md', 'docs', 'ete-ga'],
  ['e\u0301te\u0301/\u1100\u1161.md', 'docs', 'ete-ga'],
  ['don’t.md', 'docs', 'don-t'],
  ['🎉 party.md', 'docs', 'tada-party'],
  ['C++.md', 'docs', 'c-plus-plus'],
  ['C#/F＃.md', 'docs', 'c-sharp-f-sharp'],
  // printf '!!' | sha256sum
  ['!!.md', 'docs', 'pack-233d26e9'],
  // What the table does not have: printf '\uE000 logo' | sha256sum, and so on.
  ['\uE000 logo.md', 'docs', 'logo-e4bb88e7'],
  ['北\u39DD.md', 'docs', 'bei-da4b82b4'],
  ['\u{12000}/a.md', 'docs', 'pack-d1f85d22-a'],
  ['v1.2/notes.txt', 'docs', 'v1-2-notes'],
])('the slug of %s in %s is %s', async (path, folder, slug) => {
  expect(await withTable(() => derivePathSlug(path, folder))).toBe(slug)
})

const WORDS =
  'install reference 配置 安装指南 使用说明 常见问题 サーバー インストール 設定 はじめに 설치 시작하기 사용법 دليل المستخدم إعداد الشبكة ' +
  'Установка Настройка Объект Посібник Οδηγός Ρύθμιση התקנה מדריך การติดตั้ง คู่มือ स्थापना गाइड স্থাপন ఆరంభం நிறுவல் ' +
  'ინსტალაცია Տեղադրում ጭነት Cài đặt Einführung Größe Übersicht Référentiel Łączność Ayarlar Kılavuz Žurnál C++ C# F# .NET 🎉 ½ №'

test('two thousand names in many scripts have the slugs that they had, each its own', async () => {
  const words = WORDS.split(' ')
  const names = Array.from({ length: 2_000 }, (_, at) => {
    const second = Math.floor(at / words.length)
    return `${words[at % words.length]} ${words[second % words.length]} ${second}.md`
  })
  const slugs = await withTable(() => names.map((name) => derivePathSlug(name, 'docs')))
  expect(new Set(slugs).size).toBe(2_000)
  expect(digestText(slugs.join('\n'))).toBe(
    '332cf68dac44b66e41d0c8678dc0f0c9f4d53923bb048b5acaf60cbf068567d2',
  )
})

test('a slug over 100 characters is cut, and ends in a hash of the path', () => {
  const folder = 'x'.repeat(60)
  // printf "$(printf 'x%.0s' {1..60})/$(printf 'y%.0s' {1..60})" | sha256sum
  expect(derivePathSlug(`${folder}/${'y'.repeat(60)}.md`)).toBe(`${folder}-${'y'.repeat(30)}-4c2b9c85`)
  expect(derivePathSlug(`${'x'.repeat(100)}.md`)).toBe('x'.repeat(100))
  // No hyphen is doubled where the cut is at the end of a folder.
  expect(derivePathSlug(`${'x'.repeat(90)}/${'y'.repeat(60)}.md`)).toMatch(/^x{90}-[0-9a-f]{8}$/)
})

test('the slug of any path is valid', async () => {
  const path = fc.array(fc.string({ unit: 'grapheme', maxLength: 60 }), { minLength: 1, maxLength: 6 })
  await fc.assert(
    fc.asyncProperty(path, async (parts) => {
      const slug = await withTable(() => derivePathSlug(`${parts.join('/')}.md`, 'docs'))
      expect(slug).toMatch(/^[a-z0-9]+(-[a-z0-9]+)*$/)
      expect(slug.length).toBeLessThanOrEqual(100)
    }),
  )
})

test('the title of a source without headings is the name of the folder of an _index', () => {
  expect(parseSource('text', { path: 'Guides/_index.md' }).source?.title).toBe('Guides')
})
