// The commands that run a program until it is stopped: control plane, engine, gateway.

import { ENGINE_FLAGS, GATEWAY_FLAGS, SERVER_FLAGS } from '@ironlaw/contracts/programs'
import type { Command } from 'commander'
import { createCommand, examples } from '../command.ts'
import type { GatewayFlags } from './gateway.ts'
import { flagArguments, type ProgramFlags, withFlags } from './program-flags.ts'

export function upCommand(): Command {
  return withFlags(createCommand('up'), SERVER_FLAGS)
    .description('start a control plane on this machine, with an embedded database unless one is given')
    .addHelpText('after', examples('ironlaw up', 'ironlaw up --executor slurm --database postgres://localhost/ironlaw'))
    .action(async (flags: ProgramFlags) => {
      const start = await import('./up.ts')
      await start.startControlPlane(flags)
    })
}

export function engineCommand(): Command {
  return withFlags(createCommand('engine'), ENGINE_FLAGS)
    .description("serve a model behind OpenAI's API with llama.cpp: batches, prefix reuse, metrics under the names of vLLM")
    .addHelpText(
      'after',
      examples('ironlaw engine --model models/tiny --port 8000', 'ironlaw engine --model model.gguf --slots 16 --threads 2'),
    )
    .action(async (flags: ProgramFlags) => {
      const { startProgram } = await import('./start-program.ts')
      process.exitCode = await startProgram('@ironlaw/server/engine', flagArguments(ENGINE_FLAGS, flags))
    })
}

export function gatewayCommand(): Command {
  return withFlags(createCommand('gateway'), GATEWAY_FLAGS)
    .description("put OpenAI's API in front of engines: keys, quotas, budgets, routing, retries (docs/guides/gateway.md)")
    .addHelpText(
      'after',
      examples(
        'ironlaw gateway --config gateway.json --port 8080',
        'ironlaw gateway --config gateway.json --database postgres://localhost/ironlaw',
        'ironlaw gateway --control http://127.0.0.1:7600 --id gateway-1',
      ),
    )
    .action(async (flags: GatewayFlags) => {
      const { runGateway } = await import('./gateway.ts')
      process.exitCode = await runGateway(flags)
    })
}
