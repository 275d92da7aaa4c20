import { AppError } from "../../../../kit/app-error.ts";
import type { Clock } from "../../../../kit/clock.ts";
import { type MessageSigner, signatureHeader } from "../../../../mesh/message-signature.ts";
import { FrameBundle, framesOf, frameText, type LinkFrame, linkPath, refusalText } from "./link-frames.ts";
import type { NodeAnswer, NodeExchange } from "./node-exchange.ts";
import { errorOf } from "./run-lines.ts";

/** The part of a WebSocket that a link uses. */
export interface LinkSocket {
  send(message: string): void;
  close(): void;
  onopen: (() => void) | null;
  onmessage: ((event: { data: unknown }) => void) | null;
  onclose: (() => void) | null;
}

export interface RunLinksDeps {
  connect(url: string, headers: Record<string, string>): LinkSocket;
  signer: Pick<MessageSigner, "sign" | "verifyAnswer">;
  self(): { nodeId: string; incarnation: number };
  clock: Clock;
}

/** The link closed before the node answered. The node may have begun the run. */
export class LinkClosed extends AppError {}

/** Time in which a link must open. */
const openMs = 2_000;
/** Time after which a node that opened no link is asked for one again. Nodes of earlier versions never open one. */
const againMs = 60_000;
/** Nodes whose refusals are remembered. */
const refusedMax = 512;

/** The links of this node to others: one to each, opened when there is a run for it. */
export class RunLinks {
  readonly #deps: RunLinksDeps;
  readonly #links = new Map<string, RunLink>();
  /** Addresses of nodes that opened no link, and when they may be asked again. */
  readonly #refused = new Map<string, number>();
  #isStopping = false;

  constructor(deps: RunLinksDeps) {
    this.#deps = deps;
  }

  /** Returns the link to the node at `baseUrl`. While there is none, begins to open it and returns undefined. */
  find(baseUrl: string): RunLink | undefined {
    const link = this.#links.get(baseUrl);
    if (link?.isOpen) return link;
    if (link === undefined && !this.#isStopping) this.#open(baseUrl);
    return undefined;
  }

  /** Number of links that take runs. */
  get open(): number {
    return [...this.#links.values()].filter(({ isOpen }) => isOpen).length;
  }

  /** Closes each link when its last run has its answer. */
  stop(): void {
    this.#isStopping = true;
    for (const link of [...this.#links.values()]) link.retire();
  }

  #open(baseUrl: string): void {
    const { connect, signer, self, clock } = this.#deps;
    const now = clock.monotonicMs();
    if (now < (this.#refused.get(baseUrl) ?? now)) return;
    const headers = { [signatureHeader]: signer.sign(self(), linkPath, "") };
    const socket = connect(`${baseUrl.replace(/^http/, "ws")}${linkPath}`, headers);
    const link = new RunLink(socket, signer, (hasOpened) => {
      stopWait();
      if (this.#links.get(baseUrl) === link) this.#links.delete(baseUrl);
      if (hasOpened) return;
      if (this.#refused.size >= refusedMax) this.#refused.clear();
      this.#refused.set(baseUrl, clock.monotonicMs() + againMs);
    });
    const stopWait = clock.timer(openMs, () => link.expire());
    this.#links.set(baseUrl, link);
  }
}

/** A run that waits for its answer, or for more of it. */
interface AskedRun {
  signature: string;
  resolve(answer: NodeAnswer): void;
  reject(reason: unknown): void;
  pieces: Pieces | undefined;
}

/** One link to another node. */
export class RunLink {
  readonly #socket: LinkSocket;
  readonly #signer: Pick<MessageSigner, "verifyAnswer">;
  /** Called once, when the link takes no more runs. */
  readonly #ended: (hasOpened: boolean) => void;
  readonly #asked = new Map<number, AskedRun>();
  readonly #bundle: FrameBundle;
  #number = 0;
  #hasOpened = false;
  #isOver = false;

  constructor(
    socket: LinkSocket,
    signer: Pick<MessageSigner, "verifyAnswer">,
    ended: (hasOpened: boolean) => void,
  ) {
    this.#socket = socket;
    this.#signer = signer;
    this.#ended = ended;
    this.#bundle = new FrameBundle((message) => socket.send(message));
    socket.onopen = () => {
      this.#hasOpened = true;
    };
    socket.onmessage = ({ data }) => {
      for (const frame of framesOf(String(data))) this.#receive(frame);
    };
    socket.onclose = () => this.#closed();
  }

  get isOpen(): boolean {
    return this.#hasOpened && !this.#isOver;
  }

  /** Sends a run with its signature. */
  ask(signature: string, text: string): NodeExchange {
    const number = ++this.#number;
    const { promise, resolve, reject } = Promise.withResolvers<NodeAnswer>();
    this.#asked.set(number, { signature, resolve, reject, pieces: undefined });
    this.#bundle.add(frameText("run", number, signature, text));
    return {
      answer: promise,
      leave: (reason, isSilent) => {
        const asked = this.#asked.get(number);
        if (asked === undefined) return;
        this.#asked.delete(number);
        this.#bundle.add(frameText("gone", number));
        fail(asked, reason);
        // The link itself may be broken, so other runs get a new one.
        if (isSilent) this.retire();
        this.#closeIfDone();
      },
    };
  }

  /** Takes no more runs, and closes when the last one has its answer. */
  retire(): void {
    if (!this.#isOver) this.#end();
    this.#closeIfDone();
  }

  /** Gives up a link that has not opened yet. */
  expire(): void {
    if (!this.#hasOpened) this.#closed();
  }

  #end(): void {
    this.#isOver = true;
    this.#ended(this.#hasOpened);
  }

  #closeIfDone(): void {
    if (!this.#isOver || this.#asked.size > 0) return;
    this.#bundle.flush();
    this.#socket.close();
  }

  #closed(): void {
    if (!this.#isOver) this.#end();
    const cut = new LinkClosed("upstream_failed", "node_cut", "The link to the node was closed.");
    for (const asked of this.#asked.values()) fail(asked, cut);
    this.#asked.clear();
    this.#socket.close();
  }

  #receive({ kind, number, seal, text }: LinkFrame): void {
    const asked = this.#asked.get(number);
    if (asked === undefined) return;
    switch (kind) {
      case "lines":
        asked.pieces?.push(text);
        return;
      case "head":
        asked.pieces = new Pieces();
        asked.resolve({ seal, pieces: asked.pieces });
        return;
      case "whole":
        asked.resolve({ seal, whole: text });
        break;
      case "refused":
        asked.reject(this.#refusal(asked.signature, seal, text));
        break;
      default:
        asked.pieces?.end();
    }
    this.#asked.delete(number);
    this.#closeIfDone();
  }

  #refusal(signature: string, seal: string, text: string): unknown {
    try {
      this.#signer.verifyAnswer(signature, seal, refusalText(text));
      return errorOf(JSON.parse(text));
    } catch (thrown) {
      return thrown;
    }
  }
}

function fail({ pieces, reject }: AskedRun, reason: unknown): void {
  if (pieces === undefined) reject(reason);
  else pieces.fail(reason);
}

/** Texts that one reader waits for. */
class Pieces implements AsyncIterable<string> {
  #texts: string[] = [];
  #ending: { failure: unknown } | { isWhole: true } | undefined;
  #arrived = Promise.withResolvers<void>();

  push(text: string): void {
    this.#texts.push(text);
    this.#arrived.resolve();
  }

  end(): void {
    this.#ending ??= { isWhole: true };
    this.#arrived.resolve();
  }

  fail(failure: unknown): void {
    this.#ending ??= { failure };
    this.#arrived.resolve();
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<string, void> {
    for (;;) {
      await this.#arrived.promise;
      this.#arrived = Promise.withResolvers<void>();
      const texts = this.#texts;
      this.#texts = [];
      yield* texts;
      if (this.#ending === undefined || this.#texts.length > 0) continue;
      if ("failure" in this.#ending) throw this.#ending.failure;
      return;
    }
  }
}
