import { readFileSync } from "node:fs";
import { join } from "node:path";
import { freePort } from "./free-port.ts";
import { temporaryFolder } from "./temp-folder.ts";
import { untilTrue } from "./until-true.ts";
import { writeFiles } from "./write-files.ts";

const program = Bun.which("haproxy", { PATH: `${process.env.PATH}:/usr/sbin:/usr/local/sbin` });

/** The reason to skip a test; undefined if haproxy is installed. */
export const haproxyMissing = program === null ? "haproxy not installed" : undefined;

const configFile = join(import.meta.dir, "../../deploy/haproxy.cfg");

/** Ports of a node, by service. */
export type NodePorts = Readonly<Record<string, number>>;

/** deploy/haproxy.cfg with ports of this machine. Frontends of services without a port keep no server and are left out. */
function localConfig(frontends: NodePorts, nodes: Readonly<Record<string, NodePorts>>): string {
  const [head = "", ...sections] = readFileSync(configFile, "utf8").split(/^(?=frontend )/m);
  const kept = Object.entries(frontends).map(([service, port]) => {
    const section = sections.find((text) => text.startsWith(`frontend ${service}\n`));
    if (section === undefined) throw new Error(`deploy/haproxy.cfg has no frontend ${service}.`);
    return section
      .replace(/bind :\d+/, `bind 127.0.0.1:${port}`)
      .replaceAll(/server (\S+) \S+ resolvers docker init-addr \S+/g, (_, name: string) => {
        return `server ${name} 127.0.0.1:${nodes[name]?.[service]}`;
      });
  });
  return [head, ...kept].join("");
}

export interface Balancer extends AsyncDisposable {
  urlOf(service: string): string;
}

/** Checks deploy/haproxy.cfg; returns what haproxy complains of besides names that only Docker knows. */
export function haproxyComplaints(): string[] {
  const { stderr, exitCode } = Bun.spawnSync([program ?? "", "-c", "-f", configFile]);
  const lines = stderr.toString().split("\n");
  const complaints = lines.filter(
    (line) => /WARNING|ALERT/.test(line) && !line.includes("could not resolve address 'node-"),
  );
  return exitCode === 0 ? complaints : [`exit code ${exitCode}`, ...complaints];
}

/** Starts haproxy with deploy/haproxy.cfg before these nodes, and waits until each service is reached. */
export async function startBalancer(nodes: Readonly<Record<string, NodePorts>>): Promise<Balancer> {
  await using held = new AsyncDisposableStack();
  const services = Object.keys(Object.values(nodes)[0] ?? {});
  const frontends = Object.fromEntries(services.map((service) => [service, freePort()]));
  const folder = held.use(temporaryFolder()).path;
  writeFiles(folder, { "haproxy.cfg": localConfig(frontends, nodes) });
  const child = Bun.spawn([program ?? "", "-db", "-f", join(folder, "haproxy.cfg")], {
    stdio: ["ignore", "ignore", "ignore"],
  });
  held.defer(async () => {
    child.kill("SIGKILL");
    await child.exited;
  });
  const urlOf = (service: string) => `http://127.0.0.1:${frontends[service]}`;
  for (const service of services) {
    await untilTrue(async () => {
      if (child.exitCode !== null) throw new Error(`haproxy ended with ${child.exitCode}.`);
      return fetch(`${urlOf(service)}/readyz`).then(
        ({ ok }) => ok,
        () => false,
      );
    });
  }
  const ending = held.move();
  return { urlOf, [Symbol.asyncDispose]: () => ending.disposeAsync() };
}
