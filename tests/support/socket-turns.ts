let echo: Bun.Server<undefined> | undefined;

/**
 * Lets work on real sockets progress for the time of that many requests of our own. These go through the same threads and queues, after
 * everything sent before them. So on a machine of any load, a virtual clock that advances between such turns does not outrun an answer on
 * its way.
 */
export async function socketTurns(times: number): Promise<void> {
  echo ??= startEcho();
  for (let turn = 0; turn < times; turn++) await (await fetch(echo.url)).bytes();
}

/** One server for the process: starting it costs more than all its requests. */
function startEcho(): Bun.Server<undefined> {
  const server = Bun.serve({ port: 0, idleTimeout: 0, hostname: "127.0.0.1", fetch: () => new Response() });
  server.unref();
  return server;
}
