import { Database } from "bun:sqlite";
import { expect, test } from "bun:test";
import { join } from "node:path";
import { compileScript } from "../../support/compile-script.ts";
import { killWhen } from "../../support/killed-process.ts";
import { temporaryFolder } from "../../support/temp-folder.ts";

const kills = 50;

test(`no acknowledged exchange is lost or torn in ${kills} kills during commits`, async () => {
  using folder = temporaryFolder();
  using code = temporaryFolder();
  const writer = await compileScript(join(import.meta.dirname, "committing-writer.ts"), code.path);
  const acknowledged: string[] = [];
  for (let kill = 0; kill < kills; kill += 1) {
    const enough = 1 + ((kill * 7) % 60);
    acknowledged.push(...(await killWhen([writer, folder.path], (lines) => lines.length >= enough)));
  }
  using database = new Database(join(folder.path, "daemon.db"));
  expect(database.query("PRAGMA integrity_check").all()).toEqual([{ integrity_check: "ok" }]);
  const rows = database
    .query<{ session_id: string; turns: number }, []>(
      "SELECT session_id, count(*) AS turns FROM turns GROUP BY session_id",
    )
    .all();
  const stored = new Map(rows.map((row) => [row.session_id, row.turns]));
  expect(acknowledged.length).toBeGreaterThan(kills);
  expect(acknowledged.filter((session) => stored.get(session) !== 2)).toEqual([]);
  expect([...stored.values()].filter((turns) => turns !== 2)).toEqual([]);
});
