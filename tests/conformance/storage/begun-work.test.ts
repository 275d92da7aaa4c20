import { expect, test } from "bun:test";
import {
  beginAll,
  beginWork,
  endWork,
  interruptionsMax,
  parkedWork,
  retryWork,
  type WorkKey,
} from "../../../src/storage/begun-work.ts";
import { onEachEngine } from "../../support/storage-engines.ts";

const work: WorkKey = { kind: "reconcile", key: "local/agent/one" };

onEachEngine("work that is taken up again", (engine) => {
  test("is parked when three processes died with it, and not before", async () => {
    await using storage = await engine.open({ tables: () => ({}) });
    const begun = [];
    for (let process = 0; process <= interruptionsMax; process++)
      begun.push(await beginWork(storage, work, `p${process}`));
    expect(begun).toEqual(["begun", "suspect", "suspect", "parked"]);
    expect(await parkedWork(storage, 10)).toMatchObject([work]);
  });

  test("isn't interrupted by a process that begins it again, ends it, or stops in order", async () => {
    await using storage = await engine.open({ tables: () => ({}) });
    for (let time = 0; time < 9; time++) expect(await beginWork(storage, work, "p")).toBe("begun");
    await endWork(storage, work.kind, [work.key], { stopped: false });
    for (let time = 0; time < 9; time++) {
      expect(await beginWork(storage, work, `p${time}`)).toBe("begun");
      await endWork(storage, work.kind, [work.key], { stopped: time % 2 === 0 });
    }
    expect(await parkedWork(storage, 10)).toEqual([]);
  });

  test("keeps its interruptions when a process stops in order", async () => {
    await using storage = await engine.open({ tables: () => ({}) });
    for (const process of ["a", "b", "c"]) await beginWork(storage, work, process);
    await endWork(storage, work.kind, [work.key], { stopped: true });
    expect(await beginWork(storage, work, "d")).toBe("suspect");
    expect(await beginWork(storage, work, "e")).toBe("parked");
  });

  test("is done again when a person retries it, alone or with others of its kind and prefix", async () => {
    await using storage = await engine.open({ tables: () => ({}) });
    const keys = ["local/a", "local/b", "far/a"];
    for (const process of ["a", "b", "c", "d"]) await beginAll(storage, "reconcile", keys, process);
    expect(await parkedWork(storage, 10)).toHaveLength(3);
    await retryWork(storage, { kind: "eval_run", key: "local/*" });
    expect(await parkedWork(storage, 10)).toHaveLength(3);
    await retryWork(storage, { kind: "reconcile", key: "local/*" });
    expect((await parkedWork(storage, 10)).map(({ key }) => key)).toEqual(["far/a"]);
    expect(await beginWork(storage, { kind: "reconcile", key: "local/a" }, "e")).toBe("begun");
    expect(await parkedWork(storage, 0)).toEqual([]);
  });
});
