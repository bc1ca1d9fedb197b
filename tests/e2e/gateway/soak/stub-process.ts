// An engine stub as a process of its own, so that it can be killed and stopped: node stub-process.ts PORT

import { startEngineStub } from '../../../../packages/effects/gateway/test/engine-stub.ts'

await startEngineStub({ port: Number(process.argv[2]) })
