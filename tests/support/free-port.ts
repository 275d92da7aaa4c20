/** Ports below those that the system gives to connections. Each process begins at another one. */
const ports = { first: 20_000, count: 12_000 };
let nextPort = (process.pid * 37) % ports.count;

/** Returns a port on loopback that is free, and that no connection takes in the meantime. */
export function freePort(): number {
  for (;;) {
    const port = ports.first + (nextPort++ % ports.count);
    try {
      Bun.listen({ hostname: "127.0.0.1", port, socket: { data() {} } }).stop(true);
      return port;
    } catch {
      // Another program has it.
    }
  }
}
