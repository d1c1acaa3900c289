import type { LintDocument } from '../document/lint-document.ts'
import type { Link } from '../document/scan-inlines.ts'
import type { Finding, Rule } from '../rule.ts'

export const vagueLinkText: Rule = {
  name: 'vague-link-text',
  severity: 'warning',
  summary: 'a link whose text does not name its target',
  reason:
    'Agents and screen readers meet links without the sentence around them, and “here” tells them nothing.',
  bad: 'To rotate a key, click [here](https://example.org/keys).',
  good: 'To rotate a key, read [Rotating keys](https://example.org/keys).',
  createCheck: () => ({ visit: (document) => document.links.flatMap((link) => checkLink(document, link)) }),
}

/** A longer text is never one of {@link VAGUE}. */
const LONGEST = 200

function checkLink({ text, locate }: LintDocument, link: Link): Finding[] {
  if (link.isImage || link.textEnd - link.textStart > LONGEST) return []
  const written = text.slice(link.textStart, link.textEnd)
  const words = written
    .toLowerCase()
    .replace(/[*_~]/g, '')
    .replace(/^[^\p{L}\p{N}`]+|(?<=[\p{L}\p{N}`])[^\p{L}\p{N}`]+$/gu, '')
    .replace(/\s+/g, ' ')
  if (!VAGUE.has(words)) return []
  return [
    {
      message: `The text of this link is only “${written.trim()}”`,
      hint: 'Write what the reader finds there: the title of the page, or the task.',
      places: [locate(link.start)],
    },
  ]
}

/** Texts that say nothing, without punctuation, in lower case. */
const VAGUE: ReadonlySet<string> = new Set(
  [
    'here|click here|click|click this|click this link|right here|over here|see here|read here|look here|go here|this',
    'this link|this page|this article|this document|this post|this one|link|the link|page|more|read more|learn more|see more',
    'more info|more information|more details|details|read this|check it out|check this out|this site|this website',
    'hier|hier klicken|klicken sie hier|klick hier|dieser link|diese seite|mehr|mehr erfahren|mehr lesen|weiterlesen|mehr infos',
    "ici|cliquez ici|cliquer ici|ce lien|cette page|en savoir plus|lire la suite|plus d’infos|plus d'infos|par ici|voir ici",
    'aquí|haz clic aquí|haga clic aquí|pulsa aquí|este enlace|esta página|leer más|más información|saber más|ver más|enlace',
    'aqui|clique aqui|este link|esta página|saiba mais|leia mais|qui|clicca qui|questo link|questa pagina|leggi di più',
    'klik hier|deze link|deze pagina|lees meer|meer informatie|tutaj|kliknij tutaj|więcej|zde|klikněte zde|více',
    'здесь|тут|по ссылке|эта ссылка|ссылка|подробнее|читать далее|тиць|тут|посилання|детальніше',
    'こちら|ここ|ここをクリック|こちらをクリック|詳細はこちら|詳しくはこちら|このページ|このリンク|リンク|続きを読む|もっと見る',
    '这里|這裡|此处|此處|点击这里|點擊這裡|点此|链接|連結|这个页面|此页面|此链接|更多|了解更多|阅读更多|查看更多|详情',
    '여기|여기를 클릭|이곳|링크|이 링크|이 페이지|더 보기|자세히|자세히 보기|더 알아보기',
  ].flatMap((line) => line.split('|')),
)
