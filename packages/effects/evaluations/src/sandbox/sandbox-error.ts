import { IronlawError } from '@ironlaw/contracts'

export const sandboxError = (reason: string, cause?: unknown): IronlawError => new IronlawError('IL_SANDBOX', { reason }, { cause })
