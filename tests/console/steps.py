"""A program that trains nothing, as fast as a page is to be tested: steps with a falling loss, and a checkpoint."""

import time

import ironlaw

run = ironlaw.attach()
run.resume()
for step in run.steps(total=40):
    with run.phase('compute'):
        time.sleep(0.05)
    run.step(step, tokens=512, loss=3 / step**0.3)
    print(f'step {step}', flush=True)
    if run.checkpoint_due():
        run.save(b'nothing' * 1000)
run.complete()
