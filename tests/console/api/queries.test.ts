import { expect, test } from "bun:test";
import { QueryObserver } from "@tanstack/react-query";
import { createQueries } from "../../../src/console/api/queries.ts";

/** A query on a page. The test answers its reads, in any order, and `read(n)` resolves when the nth read was begun. */
function stage() {
  const queries = createQueries();
  const answers: PromiseWithResolvers<string>[] = [];
  let begun = Promise.withResolvers<void>();
  const shown = new QueryObserver(queries, {
    queryKey: ["gateway", "trail"],
    retry: false,
    queryFn: () => {
      const answer = Promise.withResolvers<string>();
      answers.push(answer);
      begun.resolve();
      begun = Promise.withResolvers();
      return answer.promise;
    },
  });
  const leave = shown.subscribe(() => {});
  const read = async (count: number) => {
    while (answers.length < count) await begun.promise;
  };
  const invalidate = () => queries.invalidateQueries({ queryKey: ["gateway"] });
  return { queries, shown, leave, answers, read, invalidate };
}

test("a change during the first read is read after it, once for all changes", async () => {
  const { shown, answers, read, invalidate, leave } = stage();
  const changes = [invalidate(), invalidate(), invalidate()];
  answers[0]?.resolve("before");
  await read(2);
  answers[1]?.resolve("after");
  await Promise.all(changes);
  expect(shown.getCurrentResult().data).toBe("after");
  expect(answers).toHaveLength(2);
  leave();
});

test("a change during the second of these reads begins another one", async () => {
  const { shown, answers, read, invalidate, leave } = stage();
  const early = invalidate();
  answers[0]?.resolve("before");
  await read(2);
  const late = invalidate();
  await read(3);
  answers[2]?.resolve("newest");
  answers[1]?.resolve("older");
  await Promise.all([early, late]);
  expect(shown.getCurrentResult().data).toBe("newest");
  expect(answers).toHaveLength(3);
  leave();
});

test("a change during a first read that fails is read too", async () => {
  const { shown, answers, read, invalidate, leave } = stage();
  const change = invalidate();
  answers[0]?.reject(new Error("not there yet"));
  await read(2);
  answers[1]?.resolve("there");
  await change;
  expect(shown.getCurrentResult()).toMatchObject({ status: "success", data: "there" });
  leave();
});

test("a change while no page shows the answer marks it as old, and it is read when it is shown again", async () => {
  const { queries, shown, answers, read, invalidate, leave } = stage();
  const change = invalidate();
  leave();
  answers[0]?.resolve("before");
  await change;
  expect(answers).toHaveLength(1);
  expect(queries.getQueryState(["gateway", "trail"])?.isInvalidated).toBeTrue();
  const leaveAgain = shown.subscribe(() => {});
  await read(2);
  answers[1]?.resolve("after");
  leaveAgain();
});

test("a query that was read is read at once, and one of another key is not", async () => {
  const { queries, answers, read, invalidate, leave } = stage();
  answers[0]?.resolve("first");
  const change = invalidate();
  await Promise.all([queries.invalidateQueries({ queryKey: ["platform"] }), read(2)]);
  answers[1]?.resolve("second");
  await change;
  expect(answers).toHaveLength(2);
  leave();
});
