"""One line for scripts that exist: callbacks for Hugging Face Trainer, Accelerate and Lightning, hooks for torchtitan and DeepSpeed.

Each imports its framework and nothing of the others; `ironlaw` itself needs none of them.
"""
