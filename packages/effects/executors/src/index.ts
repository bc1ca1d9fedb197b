// The contract only. Implementations are entries of their own, so that whoever needs the contract does not load them.

export * from './answers.ts'
export * from './executor.ts'
export * from './job-spec.ts'
