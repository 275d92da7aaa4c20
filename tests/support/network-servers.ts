import { createServer, type Socket } from "node:net";

/** A request as received by a server. */
export interface SeenRequest {
  method: string;
  host: string;
  path: string;
  headers: Headers;
  body: string;
}

/**
 * A server on this machine that records requests: `/to?s=302&l=…` redirects, `/?n=…` has that many bytes, anything else returns "hello".
 */
export function echoServer() {
  const seen: SeenRequest[] = [];
  const server = Bun.serve({
    port: 0,
    idleTimeout: 0,
    hostname: "127.0.0.1",
    async fetch(request) {
      const { pathname, searchParams } = new URL(request.url);
      const { method, headers } = request;
      const host = headers.get("host") ?? "";
      seen.push({ method, host, path: pathname, headers, body: await request.text() });
      const location = searchParams.get("l");
      if (location !== null) {
        return new Response("moved", { status: Number(searchParams.get("s")), headers: { location } });
      }
      return new Response("x".repeat(Number(searchParams.get("n") ?? 0)) || "hello");
    },
  });
  const at = (host: string, path = "/") => `http://${host}:${server.port}${path}`;
  return {
    seen,
    port: server.port,
    at,
    /** Returns an address at which `host` redirects to `location`. */
    redirect: (host: string, status: number, location: string) =>
      at(host, `/to?s=${status}&l=${encodeURIComponent(location)}`),
    stop: () => server.stop(true),
  };
}

/** A server with any protocol. */
export interface RawServer extends Disposable {
  url: string;
  sockets: Socket[];
}

/** Starts a server that calls `speak` once a connection has sent something. */
export function rawServer(speak: (socket: Socket) => void): Promise<RawServer> {
  const sockets: Socket[] = [];
  const server = createServer((socket) => {
    sockets.push(socket);
    socket.on("error", () => socket.destroy());
    socket.once("data", () => speak(socket));
  });
  return new Promise((resolve) =>
    server.listen(0, "127.0.0.1", () => {
      const { port } = server.address() as { port: number };
      const stop = () => {
        for (const socket of sockets) socket.destroy();
        server.close();
      };
      resolve({ url: `http://raw.test:${port}/`, sockets, [Symbol.dispose]: stop });
    }),
  );
}

/** Starts a server that always answers with this head and body, and then ends the connection. */
export function answering(head: string, body: string | Uint8Array = ""): Promise<RawServer> {
  return rawServer((socket) => {
    socket.write(`HTTP/1.1 ${head}\r\n\r\n`);
    socket.end(body);
  });
}

/** Resolves when the other side has closed the connection. */
export function closed(socket: Socket | undefined): Promise<void> {
  return new Promise((resolve) => {
    if (socket === undefined || socket.closed) resolve();
    else socket.once("close", () => resolve());
  });
}
