import { createSocket, type Socket } from "node:dgram";
import type { Clock } from "../kit/clock.ts";
import { answerTo, invitationIn, type MeshInvitation, newNonce, question } from "./join-code.ts";

/** Where nodes and new machines of a local network meet: a multicast group that no router forwards. */
export interface MeetingPoint {
  group: string;
  port: number;
  /** Address of the network interface; undefined: the system's choice. */
  interface?: string | undefined;
}

export const usualMeetingPoint: MeetingPoint = { group: "239.255.80.77", port: 8077 };

const againMs = 500;
/** Longest packet that is read. */
const packetBytesMax = 4096;

/** Answers new machines that know the code until `signal` aborts. Rejects if the socket can't be opened. */
export async function answerNewcomers(
  point: MeetingPoint,
  { code, invitation }: { code: string; invitation: MeshInvitation },
  signal: AbortSignal,
): Promise<void> {
  const socket = createSocket({ type: "udp4", reuseAddr: true });
  socket.on("message", (packet, from) => {
    if (packet.length > packetBytesMax) return;
    const answer = answerTo(packet.toString(), code, invitation);
    if (answer !== undefined) socket.send(answer, from.port, from.address);
  });
  await bound(socket, point.port);
  socket.addMembership(point.group, point.interface);
  signal.addEventListener("abort", () => socket.close(), { once: true });
}

/** Asks the local network for the mesh of this code. Returns undefined if no node answers in time. */
export async function findMesh(
  point: MeetingPoint,
  code: string,
  { clock, waitMs }: { clock: Clock; waitMs: number },
): Promise<MeshInvitation | undefined> {
  const socket = createSocket({ type: "udp4" });
  const nonce = newNonce();
  const found = Promise.withResolvers<MeshInvitation | undefined>();
  let stopAsking = () => {};
  const stopWaiting = clock.timer(waitMs, () => found.resolve(undefined));
  try {
    socket.on("error", found.reject);
    socket.on("message", (packet) => {
      const invitation =
        packet.length > packetBytesMax ? undefined : invitationIn(packet.toString(), code, nonce);
      if (invitation !== undefined) found.resolve(invitation);
    });
    await bound(socket, 0);
    if (point.interface !== undefined) socket.setMulticastInterface(point.interface);
    socket.setMulticastTTL(1);
    // Packets get lost, so the question is repeated.
    const ask = () => {
      socket.send(question(code, nonce), point.port, point.group);
      stopAsking = clock.timer(againMs, ask);
    };
    ask();
    return await found.promise;
  } finally {
    stopAsking();
    stopWaiting();
    socket.close();
  }
}

function bound(socket: Socket, port: number): Promise<void> {
  return new Promise((resolve, reject) => {
    socket.once("error", reject);
    socket.bind(port, () => resolve());
  });
}
