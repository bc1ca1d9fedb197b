export { type CardEvaluation, type CardSources, modelCard } from './card.ts'
export { renderCard } from './render-card.ts'
