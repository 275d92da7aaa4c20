import { expect, test } from "bun:test";
import { KnownOwners } from "../../../../src/kit/concurrency/known-owners.ts";
import { othersTurn } from "../../../../src/kit/concurrency/others-turn.ts";
import type { DaemonRag } from "../../../../src/services/daemon/rag/daemon-rag.ts";
import { tenantDocuments } from "../../../../src/services/daemon/tenant-api/tenant-documents.ts";

const operators = {} as DaemonRag;
const signal = () => new AbortController().signal;

test("a tenant that sends many documents waits for its own, and another's is taken beside them", async () => {
  const { turn } = tenantDocuments(operators, new KnownOwners());
  const began: string[] = [];
  const ends = new Map<string, () => void>();
  const ingest = (tenant: string, name: string) =>
    turn(tenant, signal(), () => {
      began.push(name);
      return new Promise<void>((resolve) => ends.set(name, resolve));
    });
  const all = [ingest("a", "a1"), ingest("a", "a2"), ingest("a", "a3"), ingest("b", "b1")];
  await othersTurn();
  expect(began).toEqual(["a1", "b1"]);
  for (const name of ["b1", "a1", "a2", "a3"]) {
    ends.get(name)?.();
    await othersTurn();
  }
  await Promise.all(all);
  expect(began).toEqual(["a1", "b1", "a2", "a3"]);
});

test("a caller that leaves while it waits is never begun, and does not hold up others", async () => {
  const { turn } = tenantDocuments(operators, new KnownOwners());
  const first = Promise.withResolvers<void>();
  const leaving = new AbortController();
  const held = turn("a", signal(), () => first.promise);
  let isBegun = false;
  const left = turn("a", leaving.signal, async () => {
    isBegun = true;
  });
  const last = turn("a", signal(), async () => "taken");
  leaving.abort(new Error("left"));
  await expect(left).rejects.toThrow("left");
  first.resolve();
  await held;
  expect(await last).toBe("taken");
  expect(isBegun).toBe(false);
});
