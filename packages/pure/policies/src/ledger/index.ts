export { ledgerFromBooks } from './account.ts'
export { RunBooks } from './run-books.ts'
export type { AttemptFact, RunPrediction, RunFacts, StepFact } from './facts.ts'
export { bookOf, fleetLedger } from './fleet.ts'
