"""Hugging Face Trainer: `Trainer(..., callbacks=[IronlawCallback()])`.

Reports every step, loss and gradient norm as the Trainer logs them, and what it runs with. Checkpoints stay the Trainer's own: it is
asked to save when one is due, and stops after saving when the job is preempted; start with `resume_from_checkpoint` as usual.
"""

from __future__ import annotations

from typing import Any, Dict, Optional

from transformers import TrainerCallback, TrainerControl, TrainerState, TrainingArguments

from ironlaw.integrations.share import StepReporter, complete_at_exit, join, own_tokens, planned_sequence


class IronlawCallback(TrainerCallback):
    def __init__(self, sequence: Optional[int] = None) -> None:
        """`sequence`: tokens per sequence, where there is no plan that says it."""
        self._sequence = sequence
        self._reporter: Optional[StepReporter] = None
        self._tokens = 0

    def on_train_begin(self, args: TrainingArguments, state: TrainerState, control: TrainerControl, **_: Any) -> None:
        run = join()
        sequence = self._sequence or planned_sequence(run)
        global_batch = args.per_device_train_batch_size * args.gradient_accumulation_steps * args.world_size
        self._tokens = own_tokens(run, global_batch, sequence)
        self._reporter = StepReporter(run)
        if run.rank == 0:
            run.running_with(
                data=args.world_size,
                microbatch=args.per_device_train_batch_size,
                global_batch=global_batch,
                sequence=sequence,
                precision="bf16" if args.bf16 else "fp16" if args.fp16 else "fp32",
                recompute="full" if args.gradient_checkpointing else "none",
            )

    def on_step_end(self, args: TrainingArguments, state: TrainerState, control: TrainerControl, **_: Any) -> None:
        if self._reporter is None:
            return
        self._reporter.done(state.global_step, self._tokens)
        run = self._reporter.run
        if run.saves_at(state.global_step):
            control.should_save = True
        if run.should_stop():
            control.should_training_stop = True

    def on_log(
        self, args: TrainingArguments, state: TrainerState, control: TrainerControl, logs: Optional[Dict[str, float]] = None, **_: Any
    ) -> None:
        if self._reporter is not None and logs and "loss" in logs:
            norm = logs.get("grad_norm")
            self._reporter.logged(state.global_step, float(logs["loss"]), None if norm is None else float(norm))

    def on_train_end(self, args: TrainingArguments, state: TrainerState, control: TrainerControl, **_: Any) -> None:
        if self._reporter is not None:
            self._reporter.flush()
            if self._reporter.run.should_stop():
                self._reporter.run.leave()
            complete_at_exit(self._reporter.run)
