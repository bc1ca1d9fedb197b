export { bandKeys, SIGNATURE_SHAPE, signature, type SignatureShape } from './near-duplicates/signature.ts'
export { components } from './near-duplicates/components.ts'
export { createTokenizer, type Tokenizer } from './tokenizer/tokenizer.ts'
