import { randomBytes } from "node:crypto";
import { AppError } from "../kit/app-error.ts";
import type { Clock } from "../kit/clock.ts";

/*
 * The signature of a message between nodes, in one header:
 *
 *   argosy-mesh: v1,<sender>,<incarnation>,<process>,<number>,<milliseconds>,<HMAC-SHA256 in base64url>
 *
 * The HMAC covers path, all other fields and the body. `process` is random for each start and `number` counts its messages, so the receiver
 * refuses a repeated message with a small window per process instead of a list of all nonces. The time only bounds for how long windows
 * are kept, and after a restart, which forgets them, it tells a sender's new messages from its earlier ones. The answer carries an HMAC over the message's HMAC and the answer's body, so it can't be forged or taken from another call.
 */

export const signatureHeader = "argosy-mesh";
export const answerHeader = "argosy-mesh-answer";

/** Largest difference between the clocks of two nodes. */
export const skewMaxMs = 5 * 60_000;
/** Messages by which a late one may be overtaken. */
const windowSize = 1024;
const skewsMax = 512;

/** Sender of a message, as its signature proves. */
export interface SignedSender {
  nodeId: string;
  incarnation: number;
  /** HMAC of the message, which the answer's is tied to. */
  mac: string;
}

/** Times of the last message of each node, by its own clock. They outlive the process. */
export interface LastMessages {
  read(): Readonly<Record<string, number>>;
  write(times: Readonly<Record<string, number>>): void;
}

/** Times are kept this often, so a process that dies has accepted later messages for at most as long. */
const keepEveryMs = 1_000;

/** Signs messages and checks those of others. Without a secret, the signature only tells who sends. */
export class MessageSigner {
  readonly #clock: Clock;
  /** An HMAC with its key and no text yet: copying it costs less than reading the key again. */
  readonly #keyed: Bun.CryptoHasher;
  /** True if signatures prove that a sender belongs to the mesh. Without a secret, any program of this machine can make them. */
  readonly hasSecret: boolean;
  readonly #process = randomBytes(12).toString("base64url");
  readonly #windows = new Map<string, ReplayWindow>();
  /** How far the clocks of other nodes are ahead of this one's, by their latest messages. */
  readonly #skews = new Map<string, number>();
  #sent = 0;
  readonly #lastMessages: LastMessages | undefined;
  /** Times up to which this node's earlier processes may have accepted messages, by sender. */
  readonly #accepted: ReadonlyMap<string, number>;
  readonly #sentAt = new Map<string, number>();
  #isKept = true;

  constructor(secret: string | undefined, clock: Clock, lastMessages?: LastMessages) {
    this.#clock = clock;
    this.#lastMessages = lastMessages;
    this.#accepted = new Map(
      Object.entries(lastMessages?.read() ?? {}).map(([node, at]) => [node, at + keepEveryMs]),
    );
    this.#keyed = new Bun.CryptoHasher("sha256", secret ?? "");
    this.hasSecret = secret !== undefined && secret !== "";
  }

  /** Returns the header of a message. */
  sign(sender: { nodeId: string; incarnation: number }, path: string, body: string): string {
    this.#sent++;
    const fields = [
      "v1",
      sender.nodeId,
      sender.incarnation,
      this.#process,
      this.#sent,
      this.#clock.now().getTime(),
    ];
    const signed = fields.join(",");
    return `${signed},${this.#mac(path, signed, body)}`;
  }

  /** Returns the sender of a message. Throws 401 if the signature is wrong, its time too far off, or the message a repetition. */
  verify(header: string | null, path: string, body: string | Uint8Array): SignedSender {
    const match = pattern.exec(header ?? "");
    if (header === null || match === null) {
      throw refused("mesh_signature_missing", "Messages between nodes need a signature.");
    }
    const [, signed = "", nodeId = "", incarnation, process = "", number, sentAt, mac = ""] = match;
    if (!equalMacs(mac, this.#mac(path, signed, body))) {
      throw refused(
        "mesh_signature_invalid",
        "The signature is wrong. All nodes need the same PLATFORM_MESH_SECRET.",
      );
    }
    const now = this.#clock.now().getTime();
    const skewMs = Number(sentAt) - now;
    if (Math.abs(skewMs) > skewMaxMs) {
      throw refused(
        "mesh_clock",
        `The clock of node ${nodeId} differs by ${Math.round(skewMs / 1000)} seconds. Set the clocks of all nodes.`,
      );
    }
    if (Number(sentAt) <= (this.#accepted.get(nodeId) ?? 0)) throw repeated();
    this.#forgetOldWindows(now);
    const key = `${nodeId},${process}`;
    const window = this.#windows.get(key) ?? new ReplayWindow();
    this.#windows.set(key, window);
    if (!window.accept(Number(number), now)) throw repeated();
    this.#sentAt.set(nodeId, Math.max(Number(sentAt), this.#sentAt.get(nodeId) ?? 0));
    this.#isKept = false;
    this.#skews.delete(nodeId);
    this.#skews.set(nodeId, skewMs);
    if (this.#skews.size > skewsMax) this.#skews.delete(this.#skews.keys().next().value ?? "");
    return { nodeId, incarnation: Number(incarnation), mac };
  }

  /** How far the clock of another node is ahead of this one's; undefined before its first message. */
  skewOf(nodeId: string): number | undefined {
    return this.#skews.get(nodeId);
  }

  /** Keeps the times of the last messages. Call it every second, and at the end. */
  keep(): void {
    if (this.#isKept || this.#lastMessages === undefined) return;
    const oldest = this.#clock.now().getTime() - 2 * skewMaxMs;
    // What is too old for its time is refused in any case.
    const times = [...this.#accepted, ...this.#sentAt].filter(([, at]) => at > oldest);
    this.#lastMessages.write(Object.fromEntries(times));
    this.#isKept = true;
  }

  /** Returns the header of the answer to a message. */
  signAnswer(mac: string, body: string): string {
    return this.#mac("answer", mac, body);
  }

  /** Throws if the answer to the message with this header was not written by a node of the mesh. */
  verifyAnswer(header: string, answer: string | null, body: string): void {
    const mac = header.slice(header.lastIndexOf(",") + 1);
    if (answer !== null && equalMacs(answer, this.signAnswer(mac, body))) return;
    throw new AppError(
      "upstream_failed",
      "mesh_answer_unsigned",
      "The answer does not come from a node of this mesh.",
    );
  }

  /** The body is not joined to the rest, because it may have 16 MiB. */
  #mac(path: string, fields: string, body: string | Uint8Array): string {
    const mac = this.#keyed.copy();
    mac.update(`${path}\n${fields}\n`);
    mac.update(body);
    return mac.digest("base64url");
  }

  #forgetOldWindows(now: number): void {
    for (const [key, window] of this.#windows)
      if (now - window.usedAt > 2 * skewMaxMs) this.#windows.delete(key);
  }
}

/** Compares two HMACs in a time that does not depend on how much of them is equal. Their length is no secret. */
function equalMacs(sent: string, own: string): boolean {
  if (sent.length !== own.length) return false;
  let differing = 0;
  for (let at = 0; at < own.length; at++) differing |= sent.charCodeAt(at) ^ own.charCodeAt(at);
  return differing === 0;
}

const pattern = /^(v1,([a-z0-9.-]{1,63}),(\d{1,16}),([\w-]{16}),(\d{1,16}),(\d{1,16})),([\w-]{43})$/;

const repeated = () => refused("mesh_message_repeated", "This message was received before.");

const refused = (code: string, message: string) => new AppError("unauthorized", code, message);

/** The numbers received from one process, as in RFC 6479: the highest, and which of the ones before it. */
class ReplayWindow {
  readonly #numbers = new Float64Array(windowSize);
  #highest = 0;
  usedAt = 0;

  accept(number: number, now: number): boolean {
    const place = number % windowSize;
    if (number <= this.#highest - windowSize || this.#numbers[place] === number) return false;
    this.#numbers[place] = number;
    this.#highest = Math.max(this.#highest, number);
    this.usedAt = now;
    return true;
  }
}
