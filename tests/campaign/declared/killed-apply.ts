import { reachWorkspace } from "../../../src/command/reach-workspace.ts";
import { loadConfig } from "../../../src/compose/load-config.ts";
import { silentLogger } from "../../../src/kit/log.ts";

// Applies the workspace of its first argument to the server on its data folder. Is killed at the write of the second argument:
// `<number>-before` it is sent, or `<number>-after` it was answered.
const [workspace = "", killAt = ""] = process.argv.slice(2);
const [number, side] = killAt.split("-");

const die = async (): Promise<never> => {
  process.kill(process.pid, "SIGKILL");
  return new Promise(() => {});
};

let writes = 0;
const { fetch: send } = globalThis;
const killing = async (...given: Parameters<typeof send>): Promise<Response> => {
  const [request] = given;
  const isWrite = request instanceof Request && request.method !== "GET";
  // A check stores nothing.
  if (!isWrite || request.url.endsWith("/agent-check")) return send(...given);
  writes++;
  if (String(writes) !== number) return send(...given);
  if (side === "after") await send(...given);
  return die();
};
globalThis.fetch = Object.assign(killing, { preconnect: send.preconnect });

const reached = await reachWorkspace(loadConfig({ workspace, port: "0" }), { log: silentLogger });
const results = await reached.apply(await reached.plan({ adopt: false }), {
  signal: new AbortController().signal,
  told: () => {},
});
await reached.close();
if (results.some(({ status }) => status !== "done")) throw new Error(JSON.stringify(results));
