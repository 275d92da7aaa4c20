import { createServer, type Socket } from "node:net";

export interface ForgetfulServer extends Disposable {
  /** The address, without a path. */
  url: string;
  /** The connection of each whole request in order of arrival, counted from 1, including requests without an answer. */
  connections: number[];
}

/**
 * Starts a server that answers `answers` requests of each connection with `body` and closes the connection when the next one arrives: as if
 * it had given up the idle connection at that instant.
 */
export async function forgetfulServer(body = "{}", answers = 1): Promise<ForgetfulServer> {
  const connections: number[] = [];
  const sockets: Socket[] = [];
  const server = createServer((socket) => {
    const number = sockets.push(socket);
    socket.on("error", () => socket.destroy());
    let received = "";
    let answered = 0;
    socket.on("data", (data) => {
      received += data.toString("latin1");
      if (!isWhole(received)) return;
      received = "";
      connections.push(number);
      if (answered++ >= answers) return void socket.destroy();
      socket.write(
        `HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n${body}`,
      );
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as { port: number };
  return {
    url: `http://127.0.0.1:${port}`,
    connections,
    [Symbol.dispose]() {
      for (const socket of sockets) socket.destroy();
      server.close();
    },
  };
}

function isWhole(request: string): boolean {
  const headEnd = request.indexOf("\r\n\r\n");
  if (headEnd < 0) return false;
  const length = Number(/content-length: (\d+)/i.exec(request.slice(0, headEnd))?.[1] ?? 0);
  return request.length >= headEnd + 4 + length;
}
