import { type AgentName, ports, question } from "./workload.ts";

export interface LoadResult {
  runs: number;
  errors: number;
  seconds: number;
  /** Sorted, in ms. */
  latencies: number[];
}

/**
 * Keeps `connections` runs in flight for `seconds`: a closed loop over keep-alive connections, each sending its next run when the last was
 * answered. Written on bare sockets, because a heavier client would take the CPU that the server needs.
 *
 * 256 sessions are active at once and retire after ten turns, so that conversations have a realistic length. With `perSecond`, the
 * connections send that many runs a second together, as long as one of them is free when a run is due.
 */
export async function load(
  agent: AgentName,
  connections: number,
  seconds: number,
  tag: string,
  perSecond?: number,
): Promise<LoadResult> {
  const latencies: number[] = [];
  let errors = 0;
  let sent = 0;
  let due = 0;
  const startedAt = performance.now();
  const endsAt = startedAt + seconds * 1000;
  const nextRequest = () => {
    const turn = sent++;
    const session = `${tag}-${Math.floor(turn / 2560) * 256 + (turn % 256)}`;
    const body = JSON.stringify({ query: question, session_id: session });
    return `POST /v1/agents/${agent}/run HTTP/1.1\r\nHost: 127.0.0.1:${ports.server}\r\nContent-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n${body}`;
  };

  await Promise.all(
    Array.from({ length: connections }, async () => {
      const finished = Promise.withResolvers<void>();
      let sentAt = 0;
      let received = "";
      const write = (socket: Bun.Socket) => {
        sentAt = performance.now();
        socket.write(nextRequest());
      };
      const ask = (socket: Bun.Socket) => {
        if (perSecond === undefined) return write(socket);
        const dueInMs = startedAt + (due++ * 1000) / perSecond - performance.now();
        if (dueInMs <= 0) return write(socket);
        setTimeout(() => write(socket), dueInMs);
      };
      const socket = await Bun.connect({
        hostname: "127.0.0.1",
        port: ports.server,
        socket: {
          data(socket, chunk) {
            received += chunk.toString("latin1");
            const status = completeStatus(received);
            if (status === undefined) return;
            received = "";
            const now = performance.now();
            if (status === 200) latencies.push(now - sentAt);
            else errors++;
            if (now < endsAt) ask(socket);
            else finished.resolve();
          },
          close: () => finished.resolve(),
          error: () => finished.resolve(),
        },
      });
      ask(socket);
      await finished.promise;
      if (performance.now() < endsAt) errors++; // the server closed the connection too early
      socket.end();
    }),
  );
  return {
    runs: latencies.length,
    errors,
    seconds: (performance.now() - startedAt) / 1000,
    latencies: latencies.sort((a, b) => a - b),
  };
}

/** Returns the status of a response once it is complete; a run's response is either sized or chunked. */
function completeStatus(text: string): number | undefined {
  const bodyAt = text.indexOf("\r\n\r\n") + 4;
  if (bodyAt === 3) return undefined;
  const head = text.slice(0, bodyAt);
  const length = /\r\ncontent-length: (\d+)/i.exec(head)?.[1];
  const complete =
    length === undefined ? text.endsWith("\r\n0\r\n\r\n") : text.length - bodyAt >= Number(length);
  return complete ? Number(head.slice(9, 12)) : undefined;
}
