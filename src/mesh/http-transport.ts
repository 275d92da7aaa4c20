import type { Static, TSchema } from "@sinclair/typebox";
import { MeshElection, MeshGossip, MeshJoined } from "../contracts/daemon/mesh.ts";
import { callService } from "../contracts/service-call.ts";
import { AppError } from "../kit/app-error.ts";
import type { Clock } from "../kit/clock.ts";
import { readBounded } from "../kit/fetch/bounded-body.ts";
import type { FetchLike } from "../kit/fetch/local-fetch.ts";
import { type SchemaChecker, schemaChecker } from "../kit/json/schema-checker.ts";
import { parseStrictJson } from "../kit/json/strict-json.ts";
import type { MeshTransport } from "./mesh-node.ts";
import { answerHeader, type MessageSigner, signatureHeader } from "./message-signature.ts";

/** Largest message between nodes: 512 nodes with the names of their agents. */
export const messageBytesMax = 4 * 1024 * 1024;
/** Keys of a message: 512 nodes with nine each. */
export const messageLimits = { depthMax: 16, keysMax: 10_000 };

export interface HttpTransportDeps {
  fetch: FetchLike;
  scheme: "http" | "https";
  signer: MessageSigner;
  /** This node, as it signs. */
  self(): { nodeId: string; incarnation: number };
  /** Throws if nodes may not be at this address. */
  requireAddress(address: string): void;
  clock: Clock;
  /** Time for an answer. */
  patienceMs: number;
}

/** Creates calls to other nodes by HTTP. Messages and answers are signed. */
export function httpTransport(deps: HttpTransportDeps): MeshTransport {
  const { fetch, scheme, signer, self, requireAddress, clock, patienceMs } = deps;
  const checkers = new Map<TSchema, SchemaChecker<TSchema>>();
  async function post<Schema extends TSchema>(
    address: string,
    name: string,
    message: object,
    schema: Schema,
  ): Promise<Static<Schema>> {
    requireAddress(address);
    const path = `/v1/mesh/${name}`;
    const text = JSON.stringify(message);
    const signature = signer.sign(self(), path, text);
    const late = new AbortController();
    const cancel = clock.timer(patienceMs, () => late.abort(unanswered(address)));
    try {
      const response = await callService({ baseUrl: `${scheme}://${address}`, fetch }, "POST", path, {
        text,
        headers: { [signatureHeader]: signature },
        signal: late.signal,
      });
      const answer = new TextDecoder().decode(await readBounded(response, messageBytesMax, late.signal));
      signer.verifyAnswer(signature, response.headers.get(answerHeader), answer);
      const value = parseStrictJson(answer, messageLimits);
      const checker = checkers.get(schema) ?? schemaChecker(schema);
      checkers.set(schema, checker);
      if (!checker.fits(value)) throw unreadable(address);
      return value as Static<Schema>;
    } finally {
      cancel();
    }
  }
  return {
    join: (address, body) => post(address, "join", body, MeshJoined),
    gossip: (address, body) => post(address, "gossip", body, MeshGossip),
    elect: (address, body) => post(address, "election", body, MeshElection),
  };
}

const unanswered = (address: string) =>
  new AppError("upstream_failed", "node_silent", `The node at ${address} did not answer in time.`);

const unreadable = (address: string) =>
  new AppError(
    "upstream_failed",
    "node_answer_invalid",
    `The answer of the node at ${address} has another form.`,
  );
