import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { AppError } from "../../../src/kit/app-error.ts";
import { AdmissionGate } from "../../../src/kit/concurrency/admission-gate.ts";
import { settle } from "../../support/fake-clock.ts";

describe("the gate", () => {
  test("lets in, makes wait, refuses, in that order", async () => {
    const gate = new AdmissionGate({ inFlightMax: 1, waitingMax: 1, retryAfterSeconds: 7 });
    const leave = await gate.enter();
    const second = gate.enter();
    expect([gate.inFlight, gate.waiting]).toEqual([1, 1]);
    const refusal = await gate.enter().catch((thrown: unknown) => thrown);
    expect(refusal).toBeInstanceOf(AppError);
    expect(refusal).toMatchObject({
      kind: "unavailable",
      code: "too_busy",
      details: { retryAfterSeconds: 7 },
    });
    leave();
    (await second)();
    expect([gate.inFlight, gate.waiting]).toEqual([0, 0]);
  });

  test("a place given back twice is one place", async () => {
    const gate = new AdmissionGate({ inFlightMax: 2, waitingMax: 0 });
    const leave = await gate.enter();
    await gate.enter();
    leave();
    leave();
    expect(gate.inFlight).toBe(1);
  });

  test("one who aborts before or while waiting takes no place", async () => {
    const gate = new AdmissionGate({ inFlightMax: 1, waitingMax: 5 });
    const leave = await gate.enter();
    const controller = new AbortController();
    const waiting = gate.enter(controller.signal).catch((thrown: unknown) => thrown);
    const before = gate.enter(AbortSignal.abort("before")).catch((thrown: unknown) => thrown);
    controller.abort("meanwhile");
    expect(await Promise.all([waiting, before])).toEqual(["meanwhile", "before"]);
    leave();
    expect([gate.inFlight, gate.waiting]).toEqual([0, 0]);
  });
});

/** A caller of the gate, as seen from outside. */
interface Caller {
  id: number;
  controller: AbortController;
  state: "waiting" | "inside" | "left" | "aborted" | "refused";
  leave?: () => void;
}

test("never more than inFlightMax inside, first come first served, nobody waits beside a free place", async () => {
  const step = fc.record({
    act: fc.constantFrom("enter", "enter", "leave", "abort", "leaveAndAbort"),
    who: fc.nat(20),
    settles: fc.boolean(),
  });
  await fc.assert(
    fc.asyncProperty(
      fc.integer({ min: 1, max: 3 }),
      fc.nat(4),
      fc.array(step, { maxLength: 40 }),
      async (inFlightMax, waitingMax, steps) => {
        const gate = new AdmissionGate({ inFlightMax, waitingMax });
        const callers: Caller[] = [];
        const admitted: number[] = [];
        const inState = (state: Caller["state"]) => callers.filter((caller) => caller.state === state);

        const enter = () => {
          const caller: Caller = { id: callers.length, controller: new AbortController(), state: "waiting" };
          callers.push(caller);
          gate.enter(caller.controller.signal).then(
            (leave) => {
              caller.leave = leave;
              caller.state = "inside";
              admitted.push(caller.id);
              expect(inState("inside").length).toBeLessThanOrEqual(inFlightMax);
            },
            (thrown: unknown) => {
              caller.state = thrown instanceof AppError ? "refused" : "aborted";
            },
          );
        };
        const leave = (caller: Caller | undefined) => {
          if (!caller?.leave) return;
          caller.state = "left";
          caller.leave();
        };
        const pick = (state: Caller["state"], who: number) =>
          inState(state).at(who % (inState(state).length || 1));

        for (const { act, who, settles } of steps) {
          if (act === "enter") enter();
          if (act === "leave" || act === "leaveAndAbort") leave(pick("inside", who));
          if (act === "abort" || act === "leaveAndAbort") pick("waiting", who)?.controller.abort("gave up");
          if (settles) await settle();
          expect(gate.inFlight).toBeLessThanOrEqual(inFlightMax);
          expect(gate.waiting).toBeLessThanOrEqual(waitingMax);
          if (gate.waiting > 0) expect(gate.inFlight).toBe(inFlightMax);
        }
        await settle();
        expect(admitted).toEqual(admitted.toSorted((a, b) => a - b));
        expect([inState("inside").length, inState("waiting").length]).toEqual([gate.inFlight, gate.waiting]);
        // No lost wake-up: when all leave, all waiting callers get in.
        while (inState("inside").length > 0) {
          for (const caller of inState("inside")) leave(caller);
          await settle();
        }
        expect([inState("waiting").length, gate.inFlight, gate.waiting]).toEqual([0, 0, 0]);
      },
    ),
    { numRuns: 300 },
  );
});
