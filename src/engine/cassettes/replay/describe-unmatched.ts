import type { CassetteEntry, RequestKind } from "../../../contracts/daemon/cassettes/cassette-file.ts";
import type { Divergence } from "../../../contracts/daemon/cassettes/cassettes.ts";
import type { RequestedBy } from "../../run-state/interceptor.ts";
import { firstDifference } from "../compare/first-difference.ts";
import { comparedPart } from "../request-key.ts";

const kindNames: Readonly<Record<RequestKind, string>> = {
  model: "Model call",
  tool: "Tool call",
  worker: "Agent tool call",
  memory: "Reading of memory",
  recall: "Search of memory or documents",
  budget: "Budget hold",
  clock: "Reading of the clock",
  random: "Random number",
  id: "New id",
};

/** Describes a request that was not recorded: its kind, number and agent, and its difference from the expected request. */
export function describeUnmatched({
  kind,
  by,
  number,
  request,
  nearest,
}: {
  kind: RequestKind;
  by: RequestedBy;
  number: number;
  request: unknown;
  nearest: CassetteEntry | undefined;
}): Divergence {
  const who = `${kindNames[kind]} ${number}, of ${describeBy(by)},`;
  const difference =
    nearest &&
    firstDifference(
      { by: nearest.by, ...asObject(comparedPart(kind, nearest.request)) },
      { by, ...asObject(comparedPart(kind, request)) },
    );
  return {
    at: "request",
    message:
      difference === undefined
        ? `${who} was not recorded.`
        : `${who} is not the recorded one: ${difference.path} differs.`,
    number,
    kind,
    ...by,
    ...(difference === undefined ? {} : { difference }),
    ...(nearest === undefined ? {} : { expected: nearest.request }),
    got: request,
  };
}

/** `support`, or `support in the role planner`. */
export function describeBy({ agent, role }: RequestedBy): string {
  return role === undefined ? agent : `${agent} in the role ${role}`;
}

function asObject(request: unknown): object {
  return typeof request === "object" && request !== null ? request : { request };
}
