// What engines are told about their steps, and plans are priced with.

/** Tokens of a step of one data-parallel rank of vLLM, SGLang and TensorRT-LLM. */
export const STEP_TOKENS = 8192
