export { bandKeys, SIGNATURE_SHAPE, signature, type SignatureShape } from './near-duplicates/signature.ts'
export { components } from './near-duplicates/components.ts'
export { wordHashes } from './near-duplicates/words.ts'
export { representatives, windowHashes } from './repeats/windows.ts'
export { withoutWords, type WordRange } from './repeats/cut.ts'
export { createDecoder, createTokenizer, type Tokenizer } from './tokenizer/tokenizer.ts'
export { type ContaminationIndex, contaminationIndex } from './contamination.ts'
export { c4Text, type C4Options } from './quality/c4.ts'
export {
  QUALITY_RULE_SETS,
  QUALITY_RULES,
  type QualityFault,
  qualityFault,
  type QualityRuleName,
  type QualityRuleSet,
} from './quality/rules.ts'
export { privateData, type PrivateDataKind, type PrivateDataSpan } from './private-data.ts'
