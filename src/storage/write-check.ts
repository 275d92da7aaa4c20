import type { Storage } from "./storage.ts";

/** Commits one small row: only a write proves that the disk has room and the server accepts writes. */
export async function writeCheck({ tables: { writeChecks }, transact, instant }: Storage): Promise<void> {
  const at = instant();
  await transact((tx) =>
    tx
      .insert(writeChecks)
      .values({ id: "check", at })
      .onConflictDoUpdate({ target: writeChecks.id, set: { at } }),
  );
}
