export { dataOrder, type Order, type OrderPlan, type Placed } from './data-order.ts'
export {
  documentNumber,
  documentRecord,
  indexBytes,
  type IndexPart,
  layoutOfParts,
  placeOfDocument,
  recordBytes,
} from './document-index.ts'
export { type Permutation, permutation } from './permutation.ts'
export { orderEnd, type PhaseMixture, phaseMixtures } from './phase-mixture.ts'
export {
  type DocumentPlace,
  documentsOfSample,
  samplesOfDocument,
  samplesOfStep,
  type SightingQuery,
  stepsThatSaw,
  type TokenLayout,
} from './step-documents.ts'
export {
  type DocumentIndex,
  documentsOf,
  type Piece,
  piecesOf,
  positionsOfStep,
  sampleCount,
  samplesOfTokens,
  stepOfPosition,
  type TokenRange,
  tokensOfSample,
  type Windows,
} from './token-ranges.ts'
