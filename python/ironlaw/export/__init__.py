"""A trained model as others read it: GGUF for llama.cpp, safetensors with config and tokenizer for Hugging Face tools. Needs PyTorch."""
