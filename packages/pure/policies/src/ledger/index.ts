export { account } from './account.ts'
export { RunBooks } from './run-books.ts'
export type { AttemptFact, Predicted, RunFacts, StepFact } from './facts.ts'
export { bookOf, fleetLedger } from './fleet.ts'
