import { createHash } from 'node:crypto'
import { lstatSync, readFileSync } from 'node:fs'

// Writes a table of `pack check` as a comment on the pull request of a workflow, or updates the comment that it wrote before.
// Run by comment/action.yml. It needs Node and nothing else.
// The table comes from a job that ran code of the pull request, so it may be anything: it must be one that `pack check`
// writes. The number of the pull request comes from the event.

/** Longest text of a comment on GitHub, with room for the first line. */
const MOST_CHARACTERS = 65_000
/** A table has at most 200 rows. */
const MOST_BYTES = 256 * 1024
/** Most pages of 100 comments that are searched for the one to update. */
const MOST_PAGES = 30

/** All cells but the first and the last: counts and percentages. */
const COUNTS = String.raw`(?:[-+\d,.% →]{0,60} \| ){5}`
const COUNTED = 'grown too much|counted in another tokenizer|gone|new|changed within the allowed growth'
/** A table. No part that varies can be markup: names stand in code spans and have no backtick. */
const TABLE = new RegExp(
  [
    String.raw`^### Packs: (?:passed|\d{1,9} failed)\n\n`,
    String.raw`(?:\| pack \| before \| after \| difference \| percent \| net saved \| result \|\n`,
    String.raw`\| --- (?:\| ---: ){5}\| --- \|\n`,
    String.raw`(?:\| \x60[a-z\d-]{1,200}\x60 \| ${COUNTS}(?:ok|new|\*\*(?:grown|other tokenizer|gone)\*\*) \|\n){1,200}`,
    String.raw`\| [\d,]{1,12} in both \| ${COUNTS} \|\n`,
    String.raw`(?:\n… and \d{1,9} more packs\.\n)?\n)?`,
    String.raw`[\d,]{1,12} packs? compared with \x60[\p{L}\p{N}\p{M}._/ ()+-]{1,200}\x60: `,
    String.raw`(?:no change|\d{1,9} (?:${COUNTED})(?:, \d{1,9} (?:${COUNTED}))*)\.\n`,
    String.raw`(?:\nCounts are tokens of content and header; a pack may grow by [\d.]{1,20} %\. `,
    String.raw`To accept the changes, write the file again with \x60pack check --json\x60\.\n)?$`,
  ].join(''),
  'u',
)

const {
  GITHUB_API_URL = 'https://api.github.com',
  GITHUB_EVENT_PATH,
  GITHUB_REPOSITORY,
  TOKEN,
  COMMENT_KEY,
} = process.env

try {
  await writeComment(process.argv[2] ?? '')
} catch (error) {
  // A comment is an extra: the table is also in the summary of the job, and the check itself has its own result.
  const reason = error instanceof Error ? error.message : String(error)
  console.log(
    `::warning title=No comment::${reason.replaceAll('%', '%25').replaceAll('\r', '%0D').replaceAll('\n', '%0A')}`,
  )
}

/** @param {string} path file with the text */
async function writeComment(path) {
  const number = readPullRequest()
  if (number === undefined) {
    console.log('not a pull request, so there is nothing to comment on')
    return
  }
  const text = readTable(path)
  if (text === undefined) {
    console.log('there is no table, so there is nothing to comment')
    return
  }
  if (!/^[\w.-]+\/[\w.-]+$/.test(GITHUB_REPOSITORY ?? ''))
    throw new Error('GITHUB_REPOSITORY is not OWNER/NAME')
  // One comment for each table of the repository.
  const key = createHash('sha256')
    .update(COMMENT_KEY ?? '')
    .digest('hex')
    .slice(0, 16)
  const marker = `<!-- check-packs ${key} -->`
  const rest = text.length > MOST_CHARACTERS ? '\n\n… the rest is in the summary of the job.\n' : ''
  const body = `${marker}\n${text.slice(0, MOST_CHARACTERS)}${rest}`
  const issue = `/repos/${GITHUB_REPOSITORY}/issues`
  const existing = await findComment(`${issue}/${number}/comments`, marker)
  if (existing === undefined) await request('POST', `${issue}/${number}/comments`, { body })
  else if (existing.body !== body) await request('PATCH', `${issue}/comments/${existing.id}`, { body })
  console.log(existing === undefined ? 'wrote a comment' : 'updated the comment')
}

/**
 * @param {string} path
 * @returns {string | undefined} undefined if there is no file
 */
function readTable(path) {
  const stats = lstatSync(path, { throwIfNoEntry: false })
  if (stats === undefined) return undefined
  const text = stats.isFile() && stats.size <= MOST_BYTES ? readFileSync(path, 'utf8') : ''
  if (!TABLE.test(text)) throw new Error('the file is not a table that pack check writes')
  return text
}

/** @returns {number | undefined} */
function readPullRequest() {
  const event = JSON.parse(readFileSync(GITHUB_EVENT_PATH ?? '', 'utf8'))
  const number = event?.pull_request?.number
  return Number.isSafeInteger(number) && number > 0 ? number : undefined
}

/**
 * Finds the comment of an earlier run. Only bots' comments count, so that nobody else's comment is replaced.
 *
 * @param {string} path
 * @param {string} marker
 * @returns {Promise<{ id: number, body: string } | undefined>}
 */
async function findComment(path, marker) {
  for (let page = 1; page <= MOST_PAGES; page++) {
    const comments = await request('GET', `${path}?per_page=100&page=${page}`)
    if (!Array.isArray(comments)) throw new Error('GitHub did not send a list of comments')
    const found = comments.find(
      (comment) =>
        comment?.user?.type === 'Bot' &&
        Number.isSafeInteger(comment.id) &&
        String(comment.body).startsWith(`${marker}\n`),
    )
    if (found !== undefined) return { id: found.id, body: found.body }
    if (comments.length < 100) return undefined
  }
  return undefined
}

/**
 * @param {string} method
 * @param {string} path
 * @param {unknown} [body]
 * @returns {Promise<unknown>}
 */
async function request(method, path, body) {
  const response = await fetch(`${GITHUB_API_URL}${path}`, {
    method,
    headers: {
      accept: 'application/vnd.github+json',
      authorization: `Bearer ${TOKEN}`,
      'content-type': 'application/json',
      'user-agent': 'check-packs',
      'x-github-api-version': '2022-11-28',
    },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    redirect: 'error',
    signal: AbortSignal.timeout(30_000),
  })
  if (response.ok) return response.json()
  const hint =
    response.status === 403 || response.status === 404
      ? '; the job needs `permissions: pull-requests: write`, which workflows of forks do not get'
      : ''
  throw new Error(`GitHub answered ${response.status} to ${method}${hint}`)
}
