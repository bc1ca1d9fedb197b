// What Python runs inside the sandbox: it limits itself, says that it began, runs the answer and then the tests in one module, and says that both
// came to their end. A program that leaves before, by whatever way, has not passed.

/** File descriptor on which it reports. */
export const REPORT_DESCRIPTOR = 4

export const PYTHON_RUNNER = `
import json, os, resource, sys, traceback, types

def main():
    order = json.load(sys.stdin)
    mark = order["mark"].encode()
    for name, value in order["limits"].items():
        resource.setrlimit(getattr(resource, name), (value, value))
    os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
    os.write(${REPORT_DESCRIPTOR}, b"began")
    module = types.ModuleType("answer")
    sys.modules["answer"] = module
    try:
        for name in ("program", "tests"):
            exec(compile(order[name], name, "exec"), module.__dict__)
    except BaseException:
        traceback.print_exc()
        sys.stderr.flush()
        os._exit(1)
    os.write(${REPORT_DESCRIPTOR}, mark)
    os._exit(0)

main()
`
