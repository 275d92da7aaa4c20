import { Database } from "bun:sqlite";
import { expect, test } from "bun:test";
import { join } from "node:path";
import { startDaemon } from "../../../support/daemon.ts";
import { settle } from "../../../support/fake-clock.ts";
import { temporaryFolder } from "../../../support/temp-folder.ts";

const background = { model: "agent/helper", input: "hi", background: true };

test.each([{ "idempotency-key": "order-1" }, {}])(
  "a response of a dead process gets the answer of its run, which is not made again (%j)",
  async (headers) => {
    using folder = temporaryFolder();
    let id = "";
    {
      await using daemon = await startDaemon({ workspace: folder.path, models: { lab: [{ text: "One." }] } });
      ({ id } = (await daemon.call("POST", "/v1/responses", { body: background, headers })).body);
      while ((await daemon.call("GET", `/v1/responses/${id}`)).body.status === "in_progress") await settle();
    }
    {
      // As if the process had died after the run and before the response was stored.
      using database = new Database(join(folder.path, ".argosy/daemon.db"));
      const body = "json_set(body, '$.status', 'in_progress', '$.output', json('[]'))";
      const left = `update responses set status = 'in_progress', owner = 'dead', held_until = 0, body = ${body}`;
      expect(database.run(left).changes).toBe(1);
    }
    await using daemon = await startDaemon({ workspace: folder.path, models: { lab: [{ text: "Two." }] } });
    let now = { status: "in_progress", output: [] as unknown[] };
    for (let looks = 0; looks < 60 && now.status === "in_progress"; looks++) {
      await daemon.clock.advance(1_000);
      now = (await daemon.call("GET", `/v1/responses/${id}`)).body;
    }
    expect(now).toMatchObject({ status: "completed", output: [{ content: [{ text: "One." }] }] });
    expect(daemon.models.lab.requests).toHaveLength(0);
  },
);
