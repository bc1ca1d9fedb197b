import type { IronlawError } from '@ironlaw/contracts'
import { paint } from './paint.ts'

export function errorText({ code, message, next }: IronlawError, json: boolean): string {
  if (json) return `${JSON.stringify({ error: { code, message, next } })}\n`
  return `${paint('red', `error ${code}`, process.stderr)}: ${message}\n  ${paint('dim', 'next:', process.stderr)} ${next}\n`
}
