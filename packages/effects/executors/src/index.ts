// The contract only. Implementations have entry points of their own, so that importing the contract does not load them.

export * from './answers.ts'
export * from './executor.ts'
export * from './job-spec.ts'
export type { JobUsers, UnixUser } from './users/unix-user.ts'
