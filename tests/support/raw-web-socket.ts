import type { Socket } from "node:net";
import { openSocket } from "./raw-http.ts";

export const handshakeKey = "dGhlIHNhbXBsZSBub25jZQ==";

/** One WebSocket over a bare socket, for frames that no client library would send. */
export interface RawWebSocket {
  socket: Socket;
  /** The head of the server's answer. */
  head: string;
  send(frame: Uint8Array): void;
  /** Resolves when the server ended it, with the code of its close frame, or `"dropped"` if it only closed the connection. */
  ended: Promise<number | "dropped">;
}

export interface FrameOptions {
  /** 1 text, 2 binary, 8 close. */
  opcode?: number;
  masked?: boolean;
  /** Sets the bit for compression. */
  compressed?: boolean;
  /** Writes this length into the header, whatever the payload's length. */
  declaredLength?: number;
}

/** Creates a client frame by RFC 6455, section 5.2, valid or invalid as requested. */
export function frame(payload: string | Uint8Array, options: FrameOptions = {}): Uint8Array {
  const { opcode = 1, masked = true, compressed = false } = options;
  const bytes = typeof payload === "string" ? new TextEncoder().encode(payload) : payload;
  const length = options.declaredLength ?? bytes.byteLength;
  const header = [0x80 | (compressed ? 0x40 : 0) | opcode, ...lengthBytes(length, masked)];
  const mask = [0x11, 0x22, 0x33, 0x44];
  const body = masked ? bytes.map((byte, index) => byte ^ (mask[index % 4] ?? 0)) : bytes;
  return Buffer.concat([Uint8Array.from(header), ...(masked ? [Uint8Array.from(mask)] : []), body]);
}

/** Opens `path` as a WebSocket; rejects with the answer if the server refuses. */
export async function rawWebSocket(
  port: number,
  path: string,
  headers: string[] = [],
): Promise<RawWebSocket> {
  const socket = await openSocket(port);
  const opened = Promise.withResolvers<RawWebSocket>();
  const ended = Promise.withResolvers<number | "dropped">();
  let received = Buffer.alloc(0);
  let head: string | undefined;
  socket.on("data", (chunk: Buffer) => {
    received = Buffer.concat([received, chunk]);
    const headEnd = received.indexOf("\r\n\r\n");
    if (head === undefined && headEnd !== -1) {
      head = received.subarray(0, headEnd).toString("latin1");
      received = received.subarray(headEnd + 4);
      if (!head.startsWith("HTTP/1.1 101")) return opened.reject(new Error(head));
      opened.resolve({ socket, head, send: (bytes) => void socket.write(bytes), ended: ended.promise });
    }
    if (head === undefined) return;
    const code = closeCode(received);
    if (code !== undefined) ended.resolve(code);
  });
  socket.on("error", () => ended.resolve("dropped"));
  socket.on("close", () => ended.resolve("dropped"));
  const request = [
    `GET ${path} HTTP/1.1`,
    "Host: localhost",
    "Upgrade: websocket",
    "Connection: Upgrade",
    "Sec-WebSocket-Version: 13",
    `Sec-WebSocket-Key: ${handshakeKey}`,
    ...headers,
  ];
  socket.write(`${request.join("\r\n")}\r\n\r\n`);
  return opened.promise;
}

function lengthBytes(length: number, masked: boolean): number[] {
  const maskBit = masked ? 0x80 : 0;
  if (length < 126) return [maskBit | length];
  if (length < 65_536) return [maskBit | 126, length >> 8, length & 0xff];
  const bytes = Buffer.alloc(8);
  bytes.writeBigUInt64BE(BigInt(length));
  return [maskBit | 127, ...bytes];
}

/** Returns the code of the first close frame in the server's bytes; its frames are never masked. */
function closeCode(bytes: Buffer): number | undefined {
  let at = 0;
  while (at + 2 <= bytes.length) {
    const opcode = bytes.readUInt8(at) & 0x0f;
    let length = bytes.readUInt8(at + 1) & 0x7f;
    let headerLength = 2;
    if (length === 126) {
      if (at + 4 > bytes.length) return undefined;
      length = bytes.readUInt16BE(at + 2);
      headerLength = 4;
    } else if (length === 127) {
      if (at + 10 > bytes.length) return undefined;
      length = Number(bytes.readBigUInt64BE(at + 2));
      headerLength = 10;
    }
    if (opcode === 8 && length >= 2 && at + headerLength + 2 <= bytes.length) {
      return bytes.readUInt16BE(at + headerLength);
    }
    at += headerLength + length;
  }
  return undefined;
}
