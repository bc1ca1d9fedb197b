export { type ErrorCode, ERRORS, IronlawError } from './error.ts'
export { nearest } from './nearest.ts'
