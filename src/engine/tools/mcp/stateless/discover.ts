import { AppError } from "../../../../kit/app-error.ts";
import { type Clock, sleep } from "../../../../kit/clock.ts";
import { isRecord } from "../../../../kit/json/is-record.ts";
import { sessionRevisions } from "../describe-fault.ts";
import { HttpFault, RpcFault } from "../rpc-fault.ts";
import type { StatelessPeer } from "./peer.ts";
import { modernErrors, statelessRevision } from "./revision.ts";

/** A server that speaks our revision without sessions. */
export interface Discovered {
  hasTools: boolean;
  /** True if it tells of changed tools. */
  announcesTools: boolean;
}

/** A program reads its requests in order: one that answers a ping, but not this, doesn't know it. */
const pingAfterMs = 3000;
/** A server may take this long to start; some answer nothing before a session. */
const silentMs = 15_000;

/**
 * Asks a server whether it speaks our revision without sessions. Resolves with undefined if it doesn't, or doesn't seem to know the
 * question, and then speaks a revision with sessions. Throws if it refuses us, or names only revisions that we don't speak.
 */
export async function discover(
  peer: StatelessPeer,
  { clock, isProgram }: { clock: Clock; isProgram: boolean },
  signal: AbortSignal,
): Promise<Discovered | undefined> {
  const over = new AbortController();
  const asking = AbortSignal.any([signal, over.signal]);
  try {
    return await Promise.race([ask(peer, asking), silence(peer, { clock, isProgram }, asking)]);
  } finally {
    over.abort();
  }
}

async function ask(
  peer: StatelessPeer,
  signal: AbortSignal,
  isSecond = false,
): Promise<Discovered | undefined> {
  try {
    return readDiscovered(await peer.ask("server/discover", {}, { signal }));
  } catch (thrown) {
    if (signal.aborted || thrown instanceof AppError) throw thrown;
    if (thrown instanceof HttpFault && (thrown.code === 401 || thrown.code === 403)) throw thrown;
    if (!(thrown instanceof RpcFault)) return undefined;
    const { unsupportedRevision, headerMismatch, capabilityMissing } = modernErrors;
    if (thrown.code === headerMismatch || thrown.code === capabilityMissing) throw thrown;
    if (thrown.code !== unsupportedRevision) return undefined;
    const named = textsIn(thrown.data.supported);
    if (named.includes(statelessRevision) && !isSecond) return await ask(peer, signal, true);
    if (named.some((one) => sessionRevisions.includes(one))) return undefined;
    throw thrown;
  }
}

function readDiscovered(result: Readonly<Record<string, unknown>>): Discovered | undefined {
  const { supportedVersions, capabilities } = result;
  const named = textsIn(supportedVersions);
  if (named.includes(statelessRevision)) {
    const tools = isRecord(capabilities) ? capabilities.tools : undefined;
    return { hasTools: isRecord(tools), announcesTools: isRecord(tools) && tools.listChanged === true };
  }
  if (named.length === 0 || named.some((one) => sessionRevisions.includes(one))) return undefined;
  throw new RpcFault(modernErrors.unsupportedRevision, "Unsupported protocol version", { supported: named });
}

/** Resolves if the server leaves the question unanswered, though it works. */
async function silence(
  peer: StatelessPeer,
  { clock, isProgram }: { clock: Clock; isProgram: boolean },
  signal: AbortSignal,
): Promise<undefined> {
  const late = sleep(clock, silentMs, signal);
  if (!isProgram) return late as Promise<undefined>;
  const pinged = sleep(clock, pingAfterMs, signal).then(() => peer.ask("ping", {}, { signal }));
  await Promise.race([pinged.catch((thrown) => (thrown instanceof RpcFault ? undefined : late)), late]);
  return undefined;
}

const revisionsMax = 20;

function textsIn(value: unknown): string[] {
  return Array.isArray(value) ? value.slice(0, revisionsMax).filter((one) => typeof one === "string") : [];
}
