import { expect, test } from "bun:test";
import fc from "fast-check";
import type { ChainLink, ChainResult } from "../../../src/contracts/daemon/runs/run.ts";
import type { ChainRun, Link } from "../../../src/engine/chain/chain.ts";
import { chainStatus } from "../../../src/engine/chain/run-chain.ts";
import { walkChain } from "../../../src/engine/chain/walk-chain.ts";
import { createGuardrailChain } from "../../../src/engine/guardrails/chain.ts";
import type { RunEvent } from "../../../src/engine/run-state/run-event.ts";
import { TraceRecorder } from "../../../src/engine/telemetry/trace-recorder.ts";
import { AppError } from "../../../src/kit/app-error.ts";
import { silentLogger } from "../../../src/kit/log.ts";
import { FakeClock } from "../../support/fake-clock.ts";

interface AnyLink {
  when: "" | "yes" | "no" | "output.data.nothing";
  agent: "good" | "bad";
  on_error: "stop" | "continue" | "good" | "bad";
}

type Outcome = Pick<ChainLink, "agent" | "status" | "reason">;

const anyLink = fc.record<AnyLink>({
  when: fc.constantFrom("", "yes", "no", "output.data.nothing"),
  agent: fc.constantFrom("good", "bad"),
  on_error: fc.constantFrom("stop", "continue", "good", "bad"),
});

/** Predicts the outcome of a chain as the manual describes it: links in their order, the default decided last. */
function foretold(
  links: readonly AnyLink[],
  defaultAt: number | null,
  mode: ChainResult["mode"],
): { outcomes: Outcome[]; status: ChainResult["status"] } {
  const decider = links.findLastIndex(({ when }, index) => index !== defaultAt && when !== "");
  const held = links.some(({ when }, index) => index !== defaultAt && when === "yes");
  const places = links.map((_, index) => index);
  if (mode === "sequential" && defaultAt !== null && defaultAt < decider) {
    places.splice(defaultAt, 1);
    places.splice(decider, 0, defaultAt);
  }
  let stopped = false;
  // In sequential mode, conditions after a failure that stops the chain are not evaluated; their links do not run in any case.
  const outcomes = places.flatMap((place): Outcome[] => {
    const { when, agent, on_error } = links[place] as AnyLink;
    if (stopped && mode === "sequential") return [{ agent, status: "skipped", reason: "upstream_stopped" }];
    const fires = place === defaultAt ? !held : when !== "no";
    if (!fires) return [{ agent, status: "skipped", reason: "condition_false" }];
    const fails = agent === "bad" || (place !== defaultAt && when === "output.data.nothing");
    if (!fails) return [{ agent, status: "success" }];
    if (on_error === "stop") stopped = true;
    if (on_error === "stop" || on_error === "continue") return [{ agent, status: "error" }];
    if (on_error === "bad") stopped = true;
    return [
      { agent, status: "error" },
      { agent: on_error, status: on_error === "bad" ? "error" : "success" },
    ];
  });
  const has = (status: string) => outcomes.some((outcome) => outcome.status === status);
  const status = stopped ? "failed" : !has("error") ? "completed" : has("success") ? "partial" : "failed";
  return { outcomes, status };
}

const missing = new AppError("unprocessable", "template_failed", "output.data.nothing is missing.");

/** Returns the compiled link. */
function compiled({ when, agent, on_error }: AnyLink, isDefault: boolean): Link {
  const holds = () => {
    if (when === "output.data.nothing") throw missing;
    return when === "yes";
  };
  return {
    agent,
    isDefault,
    holds: isDefault || when === "" ? undefined : holds,
    input: undefined,
    attemptsMax: 1,
    backoffMs: 0,
    timeoutMs: undefined,
    onError: on_error === "stop" || on_error === "continue" ? on_error : { standIn: on_error },
  };
}

/** The run of an agent with the links `good`, which answers after a random wait, and `bad`, which fails after one. */
function runOf(s: fc.Scheduler, telling: string[]): ChainRun {
  const clock = new FakeClock();
  return {
    request: { sessionId: "s", context: {} },
    guardrails: createGuardrailChain([]),
    clock,
    log: silentLogger,
    chainOf: () => undefined,
    trace: new TraceRecorder(clock, "trace", "agent.run", {}),
    async *startSubRun({ agent: name }: { agent: string }) {
      telling.push(`${name} begins`);
      await s.schedule(Promise.resolve(), name);
      telling.push(`${name} ends`);
      if (name === "bad") throw new AppError("unprocessable", "content_refused", "No.");
      yield { type: "done", result: { response: "two" } };
    },
  } as unknown as ChainRun;
}

test("any chain does what the manual says, in any order in which its links end", async () => {
  const chains = fc.record({
    links: fc.array(anyLink, { maxLength: 6 }),
    defaultAt: fc.option(fc.nat(5)),
    mode: fc.constantFrom<ChainResult["mode"]>("sequential", "parallel"),
    s: fc.scheduler(),
  });
  await fc.assert(
    fc.asyncProperty(chains, async ({ links, defaultAt: at, mode, s }) => {
      const defaultAt = at === null || at >= links.length ? null : at;
      const chain = {
        mode,
        depthMax: 5,
        links: links.map((link, index) => compiled(link, index === defaultAt)),
      };
      const steps: RunEvent[] = [];
      const telling: string[] = [];
      const run = runOf(s, telling);
      const { signal } = new AbortController();
      const walking = walkChain(
        { run, signal, depthMax: 5, linksLeft: 100, tell: (event) => steps.push(event) },
        {
          chain,
          agent: "asked",
          query: "q",
          said: { answer: "one", data: undefined },
          depth: 1,
          way: ["asked"],
          steps: new Map(),
          allowances: [],
        },
      );
      const walked = await s.waitFor(walking);
      const { outcomes, status } = foretold(links, defaultAt, mode);
      const told = walked.links.map(({ agent, status, reason }) =>
        reason === undefined ? { agent, status } : { agent, status, reason },
      );
      expect({ status: chainStatus(walked.links, walked.stopped), outcomes: told }).toEqual({
        status,
        outcomes,
      });
      expect(steps).toHaveLength(outcomes.filter((outcome) => outcome.status === "success").length);
      if (mode === "sequential") {
        const inTurn = telling.every((line, index) => line.endsWith(index % 2 === 0 ? "begins" : "ends"));
        expect(inTurn).toBeTrue();
      }
    }),
    { numRuns: 1000 },
  );
});
