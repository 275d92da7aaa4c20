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

  test("tryEnter takes a free place, and none that others wait for", async () => {
    const gate = new AdmissionGate({ inFlightMax: 1, waitingMax: 1 });
    const leave = gate.tryEnter("a");
    expect(gate.inFlight).toBe(1);
    expect(gate.tryEnter("a")).toBeUndefined();
    expect(gate.tryEnter("b")).toBeUndefined();
    const waiting = gate.enter(undefined, "a");
    leave?.();
    expect(gate.tryEnter("a")).toBeUndefined();
    (await waiting)();
    expect([gate.inFlight, gate.waiting]).toEqual([0, 0]);
    gate.tryEnter("b")?.();
    expect(gate.inFlight).toBe(0);
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

describe("owners at the gate", () => {
  test("an owner leaves as many places free as it has, and the next ones get in at once", async () => {
    const gate = new AdmissionGate({ inFlightMax: 16, waitingMax: 100 });
    const inside: Record<string, number> = {};
    const enter = (owner: string) =>
      void gate.enter(undefined, owner).then(() => {
        inside[owner] = (inside[owner] ?? 0) + 1;
      });
    for (const owner of ["a", "b", "c", "d"]) for (let n = 0; n < 20; n++) enter(owner);
    await settle();
    expect(inside).toEqual({ a: 8, b: 4, c: 2, d: 1 });
    expect([gate.inFlight, gate.waiting]).toEqual([15, 65]);
    // Without an owner every place may be taken.
    await gate.enter();
    expect(gate.inFlight).toBe(16);
  });

  test("owners take turns, and their own callers keep their order", async () => {
    const gate = new AdmissionGate({ inFlightMax: 1, waitingMax: 100 });
    const order: string[] = [];
    const visit = async (owner: string, name: string) => {
      const leave = await gate.enter(undefined, owner);
      order.push(name);
      await settle();
      leave();
    };
    const visits = ["a1", "a2", "a3", "a4", "b1", "b2", "c1"].map((name) => visit(name.slice(0, 1), name));
    await Promise.all(visits);
    expect(order).toEqual(["a1", "a2", "b1", "c1", "a3", "b2", "a4"]);
    expect([gate.inFlight, gate.waiting]).toEqual([0, 0]);
  });

  test("the owner with the longest queue gives way when the queue is full", async () => {
    const gate = new AdmissionGate({ inFlightMax: 1, waitingMax: 4 });
    const states: Record<string, string> = {};
    const leave = await gate.enter(undefined, "a");
    const enter = (owner: string, name: string) =>
      void gate.enter(undefined, owner).then(
        () => {
          states[name] = "inside";
        },
        (thrown: AppError) => {
          states[name] = thrown.code;
        },
      );
    for (const name of ["a1", "a2", "a3", "a4", "a5"]) enter("a", name);
    await settle();
    expect(states).toEqual({ a5: "too_busy" });
    for (const name of ["b1", "b2", "b3"]) enter("b", name);
    await settle();
    // Each has two now, so a third would take its place from nobody.
    expect(states).toEqual({ a5: "too_busy", a4: "too_busy", a3: "too_busy", b3: "too_busy" });
    expect(gate.waiting).toBe(4);
    leave();
    await settle();
    expect(states.a1).toBe("inside");
  });

  test("with any owners, counts hold, no waiter is lost, and everybody gets in", async () => {
    const step = fc.record({
      act: fc.constantFrom("enter", "enter", "enter", "leave", "abort"),
      owner: fc.constantFrom(undefined, "a", "b", "c"),
      who: fc.nat(20),
    });
    await fc.assert(
      fc.asyncProperty(
        fc.integer({ min: 1, max: 6 }),
        fc.nat(5),
        fc.array(step, { maxLength: 60 }),
        async (inFlightMax, waitingMax, steps) => {
          const gate = new AdmissionGate({ inFlightMax, waitingMax });
          const waiting = new Set<AbortController>();
          const inside: (() => void)[] = [];
          for (const { act, owner, who } of steps) {
            if (act === "enter") {
              const controller = new AbortController();
              waiting.add(controller);
              gate.enter(controller.signal, owner).then(
                (leave) => {
                  waiting.delete(controller);
                  inside.push(leave);
                },
                () => waiting.delete(controller),
              );
            }
            if (act === "leave" && inside.length > 0) inside.splice(who % inside.length, 1)[0]?.();
            if (act === "abort" && waiting.size > 0) [...waiting][who % waiting.size]?.abort("gave up");
            await settle();
            expect([gate.inFlight, gate.waiting]).toEqual([inside.length, waiting.size]);
            expect(gate.inFlight).toBeLessThanOrEqual(inFlightMax);
            expect(gate.waiting).toBeLessThanOrEqual(waitingMax);
          }
          while (inside.length > 0) {
            for (const leave of inside.splice(0)) leave();
            await settle();
          }
          expect([gate.inFlight, gate.waiting]).toEqual([0, 0]);
        },
      ),
      { numRuns: 200 },
    );
  });
});

/** A caller of the gate, as seen from outside. */
interface Caller {
  id: number;
  controller: AbortController;
  state: "waiting" | "inside" | "left" | "aborted" | "refused";
  leave?: () => void;
}

test("never more than inFlightMax inside, first come first served, no waiting beside a free place", async () => {
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
