# Vidur on the arguments of its own command line, timed without what comes before (its forests and tables) and after (its plots).

import atexit
import json
import time

from vidur.config import SimulationConfig
from vidur.simulator import Simulator
from vidur.utils.random import set_seeds

config = SimulationConfig.create_from_cli_args()
set_seeds(config.seed)
simulator = Simulator(config)
atexit.unregister(simulator._write_output)
before = time.process_time()
simulator.run()
print(json.dumps({"cpu_s": time.process_time() - before, "simulated_s": simulator._time}))
