// Two models that no catalog has by these names, as Hugging Face writes them.

export const DENSE_13B = {
  architectures: ['LlamaForCausalLM'],
  model_type: 'llama',
  hidden_size: 5120,
  num_hidden_layers: 40,
  num_attention_heads: 40,
  num_key_value_heads: 40,
  intermediate_size: 13_824,
  vocab_size: 64_000,
  max_position_embeddings: 8192,
  rope_theta: 500_000,
  rms_norm_eps: 1e-5,
  tie_word_embeddings: false,
}

export const MOE_30B = {
  architectures: ['Qwen3MoeForCausalLM'],
  model_type: 'qwen3_moe',
  hidden_size: 2048,
  num_hidden_layers: 48,
  num_attention_heads: 32,
  num_key_value_heads: 4,
  head_dim: 128,
  intermediate_size: 6144,
  moe_intermediate_size: 768,
  num_experts: 128,
  num_experts_per_tok: 8,
  norm_topk_prob: true,
  decoder_sparse_step: 1,
  mlp_only_layers: [],
  vocab_size: 151_936,
  max_position_embeddings: 40_960,
  rope_theta: 1_000_000,
  rms_norm_eps: 1e-6,
  tie_word_embeddings: false,
  attention_bias: false,
}
