/**
 * Lets what goes over real sockets get on, for the time of so many requests and answers of our own: they take the same way, through
 * the same threads and behind what was sent before them. However busy the machine is, a virtual clock that moves on between such
 * turns doesn't outrun an answer that is on its way.
 */
export async function socketTurns(times: number): Promise<void> {
  using echo = Bun.serve({ port: 0, hostname: "127.0.0.1", fetch: () => new Response() });
  for (let turn = 0; turn < times; turn++) await (await fetch(echo.url)).bytes();
}
