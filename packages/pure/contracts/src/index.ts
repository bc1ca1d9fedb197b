export { type ErrorCode, ERRORS, IronlawError } from './error.ts'
