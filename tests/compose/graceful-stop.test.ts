import { expect, test } from "bun:test";
import { loadConfig } from "../../src/compose/load-config.ts";
import { startArgosy } from "../../src/compose/start.ts";
import { silentLogger } from "../../src/kit/log.ts";
import { agentFile, answerOf } from "../support/daemon.ts";
import { FakeClock } from "../support/fake-clock.ts";
import { startModelServer } from "../support/model-server.ts";
import { temporaryFolder } from "../support/temp-folder.ts";
import { writeFiles } from "../support/write-files.ts";

test("a run that doesn't end within 10 s is cancelled, recorded and answered with 503", async () => {
  using folder = temporaryFolder();
  const asked = Promise.withResolvers<void>();
  const model = await startModelServer(() => {
    asked.resolve();
    return { after: Promise.withResolvers().promise };
  });
  writeFiles(folder.path, {
    "providers.yaml": JSON.stringify({ providers: { lab: { type: "vllm", endpoint: model.url } } }),
    "agents/slow.agent.yaml": agentFile("slow"),
  });
  const start = async (clock: FakeClock) => {
    const config = loadConfig({ workspace: folder.path, port: "0" });
    return startArgosy(config, { log: silentLogger, clock });
  };

  const clock = new FakeClock();
  const running = await start(clock);
  const answer = fetch(`${running.services[0]?.url}/v1/agents/slow/run`, {
    method: "POST",
    body: JSON.stringify({ query: "Take for ever." }),
  }).then(answerOf);
  await asked.promise;
  const stopped = running.stop();
  await clock.advance(9_999);
  expect(Bun.peek.status(answer)).toBe("pending");
  await clock.advance(1);
  expect(await answer).toMatchObject({ status: 503, body: { error: "run_cancelled" } });
  await stopped;
  await model.stop();

  const again = await start(new FakeClock());
  const { body } = await answerOf(await fetch(`${again.services[0]?.url}/v1/traces`));
  expect(body.traces).toMatchObject([{ agent: "slow", status: "ERROR" }]);
  await again.stop();
});
