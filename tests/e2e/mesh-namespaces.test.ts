import { expect } from "bun:test";
import { argosy, executable, executableTest } from "../support/executable.ts";
import { meshSecret } from "../support/mesh-secret.ts";
import { temporaryFolder } from "../support/temp-folder.ts";
import { untilTrue } from "../support/until-true.ts";
import { writeFiles } from "../support/write-files.ts";

/*
 * Three nodes, each in a network namespace of its own, joined by a bridge in a fourth. Links are cut and restored, as a switch would fail.
 * No packet leaves the machine. Only root may create namespaces, and a test changes the machine's network only when told to:
 *
 *   ARGOSY_TEST_NAMESPACES=1 scripts/test tests/e2e/mesh-namespaces.test.ts
 */

const names = ["a", "b", "c"] as const;
type Name = (typeof names)[number];

const ip = (...args: readonly string[]) =>
  Bun.spawnSync(["ip", ...args], { stdout: "ignore", stderr: "pipe" });
const mark = `ag${process.pid}`;

function missingReason(): string | undefined {
  if (process.env.ARGOSY_TEST_NAMESPACES !== "1") return "ARGOSY_TEST_NAMESPACES is not 1";
  if (Bun.which("ip") === null) return "no `ip` command";
  const made = ip("netns", "add", `${mark}-probe`).success;
  if (made) ip("netns", "del", `${mark}-probe`);
  return made ? undefined : "network namespaces need root";
}

/** A switch with one port for each node. */
function openSwitch() {
  const spaces = new Map(names.map((name) => [name, `${mark}-${name}`]));
  const core = `${mark}-sw`;
  const must = (...args: readonly string[]) => {
    const { success, stderr } = ip(...args);
    if (!success) throw new Error(`ip ${args.join(" ")}: ${stderr.toString()}`);
  };
  const inSpace = (space: string, ...args: readonly string[]) => must("-n", space, ...args);
  must("netns", "add", core);
  inSpace(core, "link", "add", "br0", "type", "bridge");
  inSpace(core, "link", "set", "br0", "up");
  for (const [index, [name, space]] of [...spaces].entries()) {
    must("netns", "add", space);
    inSpace(space, "link", "set", "lo", "up");
    inSpace(core, "link", "add", `port-${name}`, "type", "veth", "peer", "name", "eth0", "netns", space);
    inSpace(core, "link", "set", `port-${name}`, "master", "br0", "up");
    inSpace(space, "addr", "add", `10.77.0.${index + 1}/24`, "dev", "eth0");
    inSpace(space, "link", "set", "eth0", "up");
  }
  return {
    space: (name: Name) => spaces.get(name) ?? "",
    address: (name: Name) => `10.77.0.${names.indexOf(name) + 1}`,
    cut: (name: Name) => inSpace(core, "link", "set", `port-${name}`, "down"),
    restore: (name: Name) => inSpace(core, "link", "set", `port-${name}`, "up"),
    [Symbol.dispose]() {
      for (const space of [...spaces.values(), core]) ip("netns", "del", space);
    },
  };
}

const rehearsed = JSON.stringify({
  apiVersion: "platform/v1",
  kind: "Agent",
  metadata: { name: "helper" },
  spec: { model: { primary: { provider: "rehearsal", model: "rehearsal" } } },
});

executableTest(
  "a cable is pulled: the majority goes on, the lonely node knows no leader; plugged in again, all see all",
  async () => {
    using held = new DisposableStack();
    const net = held.use(openSwitch());
    const folders = new Map(names.map((name) => [name, held.use(temporaryFolder()).path]));
    const folderOf = (name: Name) => folders.get(name) ?? "";
    const env = {
      PLATFORM_MESH_ENABLED: "true",
      PLATFORM_MESH_SECRET: meshSecret,
      PLATFORM_MESH_SEEDS: names.map((name) => `${net.address(name)}:8000`).join(","),
      PLATFORM_API_TOKEN: "api-token-of-at-least-32-bytes-long!",
    };
    for (const name of names) {
      const mesh = { heartbeat_ms: 200, gossip_ms: 200, suspect_ms: 4_000, dead_ms: 8_000 };
      const folder = folderOf(name);
      writeFiles(folder, { "runtime.yaml": JSON.stringify({ spec: { mesh } }) });
      if (name !== "a") writeFiles(folder, { "agents/helper.agent.yaml": rehearsed });
      const serve = [executable, "serve", "--json", "--services", "daemon", "--host", net.address(name)];
      const child = Bun.spawn(["ip", "netns", "exec", net.space(name), ...serve], {
        cwd: folder,
        env: {
          PATH: process.env.PATH ?? "",
          PLATFORM_AUTO_CONFIG: "false",
          ...env,
          PLATFORM_NODE_NAME: name,
          ARGOSY_ALLOWED_HOSTS: net.address(name),
        },
        stdio: ["ignore", "pipe", "ignore"],
      });
      held.defer(() => child.kill("SIGKILL"));
      // A command that came before the server would take the lock of its data folder.
      await child.stdout.getReader().read();
    }
    // The control socket is a file, so it works from outside of the namespaces.
    const stateOf = async (name: Name) => {
      const { code, stdout } = await argosy(folderOf(name), ["mesh", "status", "--json"]);
      return code === 0 ? JSON.parse(stdout) : undefined;
    };
    const sees = async (name: Name, expected: Record<string, string>, leader: string | null) => {
      const state = await stateOf(name);
      const states = Object.fromEntries(
        (state?.nodes ?? []).map((node: { node_id: string; state: string }) => [node.node_id, node.state]),
      );
      return state?.leader === leader && Bun.deepEquals(states, expected);
    };
    const all = { a: "alive", b: "alive", c: "alive" };
    for (const name of names) await untilTrue(() => sees(name, all, "c"));
    const run = () => argosy(folderOf("a"), ["run", "helper", "Hello?", "--json"]);
    expect((await run()).code).toBe(0);

    net.cut("c");
    await untilTrue(() => sees("a", { ...all, c: "dead" }, "b"));
    await untilTrue(() => sees("b", { ...all, c: "dead" }, "b"));
    await untilTrue(() => sees("c", { a: "dead", b: "dead", c: "alive" }, null));
    expect((await run()).code).toBe(0);

    net.restore("c");
    for (const name of names) await untilTrue(() => sees(name, all, "c"));
    expect((await run()).code).toBe(0);
  },
  missingReason(),
);
