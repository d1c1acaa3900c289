// Usage: node count-tests.js REPORT EXIT_STATUS. Reads vitest's JSON report and prints `N passed, N failed[, N skipped]`.
import { readFileSync } from 'node:fs'
import { pathToFileURL } from 'node:url'

/** @typedef {{ passed: number, failed: number, skipped: number }} Counts */

/**
 * Counts the tests of a run. A file that failed before any of its tests ran counts as one failure, and so does a run
 * that exited with an error but without a failed test.
 * @param {string | undefined} report JSON written by vitest's `json` reporter; undefined when there is none
 * @param {number} exitStatus status of the test command
 * @returns {Counts}
 */
export function countTests(report, exitStatus) {
  const counts = { passed: 0, failed: 0, skipped: 0 }
  for (const file of readFiles(report)) {
    const states = file.assertionResults.map((test) => test.status)
    counts.passed += states.filter((state) => state === 'passed').length
    counts.failed += states.filter((state) => state === 'failed').length
    counts.skipped += states.filter((state) => state !== 'passed' && state !== 'failed').length
    if (file.status === 'failed' && !states.includes('failed')) counts.failed += 1
  }
  if (exitStatus !== 0 && counts.failed === 0) counts.failed = 1
  return counts
}

/**
 * @param {Counts} counts
 * @returns {string}
 */
export function formatCounts({ passed, failed, skipped }) {
  return `${passed} passed, ${failed} failed${skipped > 0 ? `, ${skipped} skipped` : ''}`
}

/**
 * @param {string | undefined} report
 * @returns {{ status: string, assertionResults: { status: string }[] }[]}
 */
function readFiles(report) {
  if (report === undefined || report.trim() === '') return []
  return JSON.parse(report).testResults
}

/** @param {string} path */
function readIfThere(path) {
  try {
    return readFileSync(path, 'utf8')
  } catch {
    return undefined
  }
}

if (process.argv[1] !== undefined && import.meta.url === pathToFileURL(process.argv[1]).href) {
  const [, , path = '', status = '1'] = process.argv
  const counts = countTests(readIfThere(path), Number(status))
  process.stdout.write(`${formatCounts(counts)}\n`)
  process.exitCode = counts.failed > 0 || counts.passed === 0 ? 1 : 0
}
