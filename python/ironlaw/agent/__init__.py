"""One agent per node: the parent of that node's ranks. `python3 -m ironlaw.agent -- PROGRAM ARGS...`"""
