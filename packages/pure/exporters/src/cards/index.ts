export { type CardEvaluation, type CardSources, modelCard } from './card.ts'
export { datasheet, type DatasheetPart } from './datasheet.ts'
export { renderCard } from './render-card.ts'
