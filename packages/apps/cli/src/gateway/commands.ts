// The commands that ask models through a gateway.

import type { Command } from 'commander'
import { printAnswer } from '../answer.ts'
import { createCommand, examples, withJson } from '../command.ts'
import type { BenchFlags } from './bench-serve.ts'
import type { ChatFlags } from './chat.ts'

type Flags = { readonly json?: true }

export function chatCommand(): Command {
  return withGateway(createCommand('chat'))
    .description('chat with a model through a gateway, one question per line')
    .argument('<model>', 'a deployment, or any model of the gateway')
    .option('--system <text>', 'system prompt')
    .option('--max-tokens <n>', 'maximum tokens per answer')
    .addHelpText('after', examples('ironlaw chat chat', 'ironlaw chat tiny --gateway http://127.0.0.1:8080 --max-tokens 64'))
    .action(async (model: string, flags: ChatFlags) => {
      const command = await import('./chat.ts')
      await command.chat(model, flags)
    })
}

export function benchCommand(): Command {
  const command = createCommand('bench').description('measure what is running')
  command.addCommand(
    withJson(withGateway(createCommand('serve')))
      .description(
        'load-test a model through a gateway: latencies and throughput with 95 % intervals; a test that is too noisy exits with 3',
      )
      .argument('<model>', 'a deployment, or any model of the gateway')
      .option('--scenario <name>', 'single-stream, offline (closed loop) or server (open loop, Poisson)', 'server')
      .option('--rate <n>', 'requests per second (server scenario)', '1')
      .option('--concurrency <n>', 'concurrent requests (offline scenario)', '8')
      .option('--seconds <n>', 'measurement duration in seconds', '60')
      .option('--warm-up <n>', 'seconds of load before the measurement', '10')
      .option('--input <tokens>', 'approximate prompt length in tokens (default 256, or what the context of the model takes)')
      .option('--output <tokens>', 'answer length in tokens (default 64, or what the context of the model takes)')
      .option(
        '--trace <file>',
        'send the requests of a trace at its times instead: Azure, Mooncake, BurstGPT, or the log of our gateway; .gz too',
      )
      .option('--speed <n>', 'replay the trace N times as fast', '1')
      .option('--engine <name>', 'compare with the simulator: the engine as "ironlaw calibrate engine" measured it')
      .option('--replicas <n>', 'with --engine: how many serve the model (default: 1)')
      .option('--router <name>', 'with --engine: how the gateway chooses among them (default: kv-aware, as the gateway)')
      .option('--one-machine', 'with --engine: they share the cores of one machine')
      .option('--feedback', 'with --engine: correct it by what was measured, as a new version')
      .addHelpText(
        'after',
        examples(
          'ironlaw bench serve chat --rate 5 --seconds 120',
          'ironlaw bench serve chat --scenario offline --json',
          'ironlaw bench serve chat --trace requests.jsonl --speed 10',
          'ironlaw bench serve chat --rate 5 --engine tiny --replicas 2 --feedback',
        ),
      )
      .action(async (model: string, flags: Flags & BenchFlags) => {
        const { benchServe } = await import('./bench-serve.ts')
        printAnswer(await benchServe(model, flags), flags.json === true)
      }),
  )
  return command
}

const withGateway = (command: Command): Command =>
  command
    .option('--gateway <url>', 'address of the gateway (default IRONLAW_GATEWAY or http://127.0.0.1:8080)')
    .option('--key <key>', 'a key of the gateway (default IRONLAW_KEY)')
    .option('--ca <file>', 'authority of its certificate, in PEM (default IRONLAW_CA or that of the current context)')
