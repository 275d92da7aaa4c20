import { describe, expect, test } from "bun:test";
import { AppError } from "../../../../../src/kit/app-error.ts";
import { MessageSigner, signatureHeader } from "../../../../../src/mesh/message-signature.ts";
import {
  type FrameKind,
  framesOf,
  frameText,
  type LinkFrame,
  linkPath,
  refusalText,
} from "../../../../../src/services/daemon/mesh/hop/link-frames.ts";
import { type NodeAnswer, runPath } from "../../../../../src/services/daemon/mesh/hop/node-exchange.ts";
import { errorLine } from "../../../../../src/services/daemon/mesh/hop/run-lines.ts";
import {
  LinkClosed,
  type LinkSocket,
  RunLinks,
} from "../../../../../src/services/daemon/mesh/hop/run-link.ts";
import { FakeClock } from "../../../../support/fake-clock.ts";

const secret = "mesh-secret-of-at-least-32-bytes-!";
const node = "http://127.0.0.1:8001";

/** The asking end's socket, held by a test that plays the other node. */
class StagedSocket implements LinkSocket {
  onopen: LinkSocket["onopen"] = null;
  onmessage: LinkSocket["onmessage"] = null;
  onclose: LinkSocket["onclose"] = null;
  readonly frames: LinkFrame[] = [];
  isClosed = false;
  readonly url: string;
  readonly headers: Record<string, string>;

  constructor(url: string, headers: Record<string, string>) {
    this.url = url;
    this.headers = headers;
  }

  send(message: string): void {
    this.frames.push(...framesOf(message));
  }

  close(): void {
    this.isClosed = true;
  }

  answer(kind: FrameKind, number: number, seal?: string, text?: string): void {
    this.onmessage?.({ data: frameText(kind, number, seal, text) });
  }
}

function world() {
  const clock = new FakeClock();
  const signer = new MessageSigner(secret, clock);
  const self = () => ({ nodeId: "n1", incarnation: 1 });
  const sockets: StagedSocket[] = [];
  const links = new RunLinks({
    connect(url, headers) {
      const socket = new StagedSocket(url, headers);
      sockets.push(socket);
      return socket;
    },
    signer,
    self,
    clock,
  });
  const newest = () => {
    const socket = sockets.at(-1);
    if (socket === undefined) throw new Error("No link was opened.");
    return socket;
  };
  /** Returns an open link and its socket. */
  const open = () => {
    links.find(node);
    newest().onopen?.();
    const link = links.find(node);
    if (link === undefined) throw new Error("The link is not open.");
    const ask = (text = "{}") => link.ask(signer.sign(self(), runPath, text), text);
    return { link, socket: newest(), ask };
  };
  const macOf = ({ seal }: LinkFrame) => new MessageSigner(secret, clock).verify(seal, runPath, "{}").mac;
  return { clock, signer, sockets, links, newest, open, macOf };
}

const turn = () => new Promise((resolve) => setImmediate(resolve));

async function piecesOf(answer: NodeAnswer): Promise<string[]> {
  const read: string[] = [];
  if (!("pieces" in answer)) throw new Error("The answer is whole.");
  for await (const piece of answer.pieces) read.push(String(piece));
  return read;
}

describe("opening", () => {
  test("happens in the background, signed, over the scheme of the node's address", () => {
    const { links, sockets, signer, newest } = world();
    expect(links.find(node)).toBeUndefined();
    expect(links.find(node)).toBeUndefined();
    expect(sockets.map(({ url }) => url)).toEqual([`ws://127.0.0.1:8001${linkPath}`]);
    expect(signer.verify(newest().headers[signatureHeader] ?? "", linkPath, "").nodeId).toBe("n1");
    newest().onopen?.();
    expect(links.find(node)).toBeDefined();
    links.find("https://node.example:8443");
    expect(newest().url).toBe(`wss://node.example:8443${linkPath}`);
  });

  test.each<[string, (w: ReturnType<typeof world>) => Promise<void> | void]>([
    ["that refuses", ({ newest }) => newest().onclose?.()],
    ["that says nothing for 2 seconds", ({ clock }) => clock.advance(2_000)],
  ])("a node %s is asked again after a minute", async (_, fail) => {
    const staged = world();
    const { links, sockets, clock } = staged;
    links.find(node);
    await fail(staged);
    links.find(node);
    await clock.advance(59_999);
    links.find(node);
    expect(sockets).toHaveLength(1);
    await clock.advance(1);
    links.find(node);
    expect(sockets).toHaveLength(2);
  });

  test("a link that was open is opened again at once", () => {
    const { links, sockets, open } = world();
    open().socket.onclose?.();
    expect(links.find(node)).toBeUndefined();
    expect(sockets).toHaveLength(2);
  });
});

describe("answers", () => {
  test("come in any order, whole with their seal", async () => {
    const { open } = world();
    const { socket, ask } = open();
    const [first, second] = [ask(), ask()];
    await turn();
    expect(socket.frames.map(({ kind, number, text }) => [kind, number, text])).toEqual([
      ["run", 1, "{}"],
      ["run", 2, "{}"],
    ]);
    socket.answer("whole", 2, "seal-2", "[2]");
    socket.answer("whole", 1, "seal-1", "[1]");
    expect(await first.answer).toEqual({ seal: "seal-1", whole: "[1]" });
    expect(await second.answer).toEqual({ seal: "seal-2", whole: "[2]" });
  });

  test("have lines until their end", async () => {
    const { open } = world();
    const { socket, ask } = open();
    const asked = ask();
    socket.answer("head", 1, "seal");
    socket.answer("lines", 1, "", "\n");
    const reading = piecesOf(await asked.answer);
    await turn();
    socket.answer("lines", 1, "", "mac []\n");
    socket.answer("end", 1);
    expect(await reading).toEqual(["\n", "mac []\n"]);
  });

  test("are refusals only if a node of the mesh signed them", async () => {
    const { open, signer, macOf } = world();
    const { socket, ask } = open();
    const [refused, forged] = [ask(), ask()];
    await turn();
    const error = errorLine(new AppError("unavailable", "too_busy", "No."));
    const [first, second] = socket.frames;
    if (first === undefined || second === undefined) throw new Error("Two runs were sent.");
    socket.answer("refused", 1, signer.signAnswer(macOf(first), refusalText(error)), error);
    socket.answer("refused", 2, signer.signAnswer(macOf(second), error), error);
    expect(refused.answer).rejects.toMatchObject({ code: "too_busy", kind: "unavailable" });
    expect(forged.answer).rejects.toMatchObject({ code: "mesh_answer_unsigned" });
  });

  test("to unknown runs are ignored", async () => {
    const { open } = world();
    const { socket, ask } = open();
    const asked = ask();
    socket.answer("lines", 1, "", "no head yet");
    socket.answer("whole", 9, "seal", "[]");
    socket.answer("whole", 1, "seal", "[1]");
    expect(await asked.answer).toEqual({ seal: "seal", whole: "[1]" });
  });
});

describe("leaving", () => {
  test("tells the node, and the link stays", async () => {
    const { open, links } = world();
    const { link, socket, ask } = open();
    const asked = ask();
    asked.leave(new Error("The caller left."));
    asked.leave(new Error("Again."));
    expect(asked.answer).rejects.toThrow("The caller left.");
    await turn();
    expect(socket.frames.map(({ kind, number }) => [kind, number])).toEqual([
      ["run", 1],
      ["gone", 1],
    ]);
    expect(links.find(node)).toBe(link);
  });

  test("in the middle of lines fails their reader", async () => {
    const { open } = world();
    const { socket, ask } = open();
    const asked = ask();
    socket.answer("head", 1, "seal");
    const reading = piecesOf(await asked.answer);
    asked.leave(new Error("The caller left."));
    expect(reading).rejects.toThrow("The caller left.");
  });

  test("a silent node ends the link for new runs; those in flight keep it", async () => {
    const { open, links, sockets } = world();
    const { socket, ask } = open();
    const [silent, other] = [ask(), ask()];
    silent.leave(new Error("Silent."), true);
    expect(silent.answer).rejects.toThrow("Silent.");
    expect(links.find(node)).toBeUndefined();
    expect(sockets).toHaveLength(2);
    expect(socket.isClosed).toBe(false);
    socket.answer("whole", 2, "seal", "[2]");
    expect(await other.answer).toEqual({ seal: "seal", whole: "[2]" });
    expect(socket.isClosed).toBe(true);
    // What was said before is sent before the end.
    expect(socket.frames.map(({ kind }) => kind)).toEqual(["run", "run", "gone"]);
  });
});

test("a link that closes fails its runs, and they may be sent in requests", async () => {
  const { open } = world();
  const { socket, ask } = open();
  const [waiting, begun] = [ask(), ask()];
  socket.answer("head", 2, "seal");
  const reading = piecesOf(await begun.answer);
  socket.onclose?.();
  expect(waiting.answer).rejects.toBeInstanceOf(LinkClosed);
  expect(reading).rejects.toMatchObject({ code: "node_cut" });
});

test("a stop closes idle links at once, others after their last answer, and opens none", async () => {
  const { open, links, sockets } = world();
  const { socket, ask } = open();
  const asked = ask();
  links.stop();
  expect(links.find(node)).toBeUndefined();
  expect([sockets.length, socket.isClosed]).toEqual([1, false]);
  socket.answer("whole", 1, "seal", "[1]");
  await asked.answer;
  expect(socket.isClosed).toBe(true);
});
