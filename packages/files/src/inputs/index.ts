export {
  countKinds,
  describeCount,
  describeLeftOut,
  type Diagnostic,
  errorDiagnostic,
  type LeftOut,
  type Position,
  type Severity,
} from '../diagnostic.ts'
export {
  type ErrorDetails,
  type Fault,
  FilesError,
  type FilesErrorCode,
  type PackLocation,
} from '../files-error.ts'
export { readRevision, type Revision, runGit } from './run-git.ts'
export { findInputLink, findLeftFolder, findRepository, formatPath, loadPicomatch } from './search-bounds.ts'
