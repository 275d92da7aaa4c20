import { Database } from "bun:sqlite";
import { describe, expect, test } from "bun:test";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { reachDaemon } from "../../../../src/command/reach.ts";
import { loadConfig } from "../../../../src/compose/load-config.ts";
import { silentLogger } from "../../../../src/kit/log.ts";
import {
  type ChannelDaemon,
  deliveredAt,
  deliverText,
  startChannelDaemon,
} from "../../../support/channel-daemon.ts";
import { agentFile } from "../../../support/daemon.ts";
import { settle } from "../../../support/fake-clock.ts";
import {
  deliveryOf,
  phoneNumberId,
  providerError,
  startMessageProvider,
  statusOf,
  textMessage,
} from "../../../support/message-provider.ts";
import { temporaryFolder } from "../../../support/temp-folder.ts";

const failed = "Sorry, something went wrong and I could not answer. Please try again in a moment.";

const slow = agentFile("helper", { orchestration: { pattern: "react", timeout_seconds: 600 } });
const never = new Promise<void>(() => {});

/** Returns the messages in the database of a daemon that has ended. */
function stored(
  workspace: string,
  edit?: (database: Database) => void,
): { message_id: string; state: string; plan: string | null; text: string | null }[] {
  using database = new Database(join(workspace, ".argosy/daemon.db"));
  edit?.(database);
  return database
    .query<{ message_id: string; state: string; plan: string | null; text: string | null }, []>(
      "select channel_message_id as message_id, state, plan, event ->> 'text' as text from channel_inbound order by id",
    )
    .all();
}

/** Resolves when the messages of the previous process have been handled. */
async function recovered(channel: ChannelDaemon): Promise<void> {
  while (!channel.daemon.logLines().some((line) => line.includes("channel.recovered"))) await settle();
  // The clock of the process before was ahead.
  await channel.idle(1000);
}

const asked = (channel: ChannelDaemon) =>
  channel.daemon.models.lab.requests.map(({ body }) => body.messages.at(-1)?.content);

test("what was accepted and not begun is answered after the next start; what was begun is not begun again", async () => {
  using folder = temporaryFolder();
  const workspace = folder.path;
  {
    await using channel = await startChannelDaemon({
      workspace,
      agents: { "helper.agent.yaml": slow },
      models: { lab: () => ({ text: "ok", after: never }) },
    });
    await channel.deliver(deliveryOf([textMessage("wamid.1", "one"), textMessage("wamid.2", "two")]));
    await deliverText(channel, textMessage("wamid.3", "three", { from: "34600" }));
    while (channel.daemon.models.lab.requests.length < 2) await settle();
  }
  const begun = '{"begun":true}';
  expect(stored(workspace).map(({ plan }) => plan)).toEqual([begun, null, begun]);

  await using again = await startChannelDaemon({ workspace });
  await recovered(again);
  expect(asked(again)).toEqual(["two"]);
  expect(again.provider.textsTo("5215550002222").sort()).toEqual(["Hello there.", failed]);
  expect(again.provider.textsTo("34600")).toEqual([failed]);
  const repeated = await again.deliver(
    deliveryOf([textMessage("wamid.1", "one"), textMessage("wamid.2", "two")]),
  );
  expect(repeated.body).toEqual({ queued: 2 });
  await again.idle();
  expect(again.provider.sent).toHaveLength(3);
  expect(again.daemon.logLines().join("\n")).toContain("channel.recovered");
});

test("an answered message is known after a restart, and only its id is kept", async () => {
  using folder = temporaryFolder();
  const workspace = folder.path;
  for (let start = 0; start < 2; start++) {
    await using channel = await startChannelDaemon({ workspace });
    expect((await deliverText(channel, textMessage("wamid.1", "one"))).body).toEqual({ queued: 1 });
    await channel.idle();
    expect(channel.provider.sent).toHaveLength(start === 0 ? 1 : 0);
  }
  expect(stored(workspace)).toEqual([{ message_id: "wamid.1", state: "done", plan: null, text: null }]);
});

describe("a process that died", () => {
  /** Leaves a message whose run has begun, or not, in the database of a process that has ended. */
  async function leftAt(step: "waiting" | "begun", fields: { received_at?: number } = {}) {
    const folder = temporaryFolder();
    const workspace = folder.path;
    {
      await using channel = await startChannelDaemon({
        workspace,
        agents: { "helper.agent.yaml": slow },
        models: { lab: () => ({ text: "ok", after: never }) },
      });
      await deliverText(channel, textMessage("wamid.1", "one"));
      while (channel.daemon.models.lab.requests.length < 1) await settle();
    }
    stored(workspace, (database) => {
      if (step === "waiting") database.run("update channel_inbound set plan = null");
      if (fields.received_at !== undefined) {
        database.run("update channel_inbound set received_at = ?", [fields.received_at]);
      }
    });
    return folder;
  }

  test("more than a day ago: the provider takes no answer any more, and no agent runs", async () => {
    const dayAgo = Date.parse(deliveredAt) - 25 * 60 * 60_000;
    for (const step of ["waiting", "begun"] as const) {
      using folder = await leftAt(step, { received_at: dayAgo });
      await using channel = await startChannelDaemon({ workspace: folder.path });
      await recovered(channel);
      expect(channel.provider.sent).toEqual([]);
      expect(channel.daemon.models.lab.requests).toEqual([]);
      expect(await channel.counted("messages")).toMatchObject({ too_late: 1 });
    }
  });

  describe("while it sent an answer", () => {
    /** Leaves an answer that was being sent. */
    async function leftSending() {
      const folder = temporaryFolder();
      {
        await using channel = await startChannelDaemon({ workspace: folder.path });
        await deliverText(channel, textMessage("wamid.1", "one"));
        await channel.idle();
      }
      let token = "";
      stored(folder.path, (database) => {
        const sending =
          "update channel_outbox set status = 'sending', lane = account_id || ':' || recipient, payload = '{\"text\":\"Hello there.\"}', owner = 'gone', attempt_id = 'gone', lease_until = 0, sent_at = null, parts_done = 0, channel_message_id = null returning id";
        token = database.query<{ id: string }, []>(sending).get()?.id ?? "";
      });
      return { folder, token };
    }

    test("with a receipt of the provider nothing is sent again", async () => {
      const left = await leftSending();
      using folder = left.folder;
      await using channel = await startChannelDaemon({ workspace: folder.path });
      const statuses = [statusOf(left.token, "delivered")];
      await channel.deliver(deliveryOf([], { messages: undefined, statuses }));
      await channel.idle(1000);
      expect(channel.provider.sent).toEqual([]);
      expect(await channel.counted("messages")).toMatchObject({ reply_sent: 1 });
    });

    test("without one for a minute it is sent once more", async () => {
      const left = await leftSending();
      using folder = left.folder;
      await using channel = await startChannelDaemon({ workspace: folder.path });
      await channel.tick(59_000);
      expect(channel.provider.sent).toEqual([]);
      await channel.idle(1000);
      expect(channel.provider.textsTo("5215550002222")).toEqual(["Hello there."]);
    });
  });
});

test("an answer that waits to be tried again when the process stops is sent after the next start", async () => {
  using folder = temporaryFolder();
  const workspace = folder.path;
  {
    await using channel = await startChannelDaemon({
      workspace,
      script: () => ({ status: 400, body: providerError(80007) }),
    });
    await deliverText(channel, textMessage("wamid.1", "one"));
    while ((await channel.counted("sends")).retry !== 1) await settle();
  }
  await using again = await startChannelDaemon({ workspace });
  await again.idle(1000);
  expect(again.provider.textsTo("5215550002222")).toEqual(["Hello there."]);
  expect(again.daemon.models.lab.requests).toEqual([]);
});

test("a command that opens the store by itself sends no answers", async () => {
  using folder = temporaryFolder();
  const workspace = folder.path;
  {
    await using channel = await startChannelDaemon({
      workspace,
      agents: { "helper.agent.yaml": slow },
      models: { lab: () => ({ text: "ok", after: never }) },
    });
    await channel.deliver(deliveryOf([textMessage("wamid.1", "one"), textMessage("wamid.2", "two")]));
    while (channel.daemon.models.lab.requests.length < 1) await settle();
  }
  const before = stored(workspace);
  expect(before.map(({ plan }) => plan !== null)).toEqual([true, false]);
  await using provider = await startMessageProvider();
  writeFileSync(
    join(workspace, "channels.yaml"),
    JSON.stringify({
      channels: {
        phone_messenger: {
          verify_token: "v",
          access_token: "t",
          phone_number_id: phoneNumberId,
          default_agent: "helper",
          api_base_url: provider.url,
        },
      },
    }),
  );
  const reached = await reachDaemon(loadConfig({ workspace }), { log: silentLogger });
  const { checks } = await reached.client.doctor();
  const check = checks.find(({ name }) => name === "channels");
  expect(check?.message).toContain("2 messages wait for an answer");
  await reached.close();
  expect(stored(workspace)).toEqual(before);
  expect(provider.sent).toEqual([]);
});
