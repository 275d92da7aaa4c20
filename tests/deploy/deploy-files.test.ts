import { describe, expect, test } from "bun:test";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { parse, parseAllDocuments } from "yaml";
import { services } from "../../src/compose/services.ts";
import { connectionsMax } from "../../src/storage/postgres/connections-max.ts";
import { temporaryFolder } from "../support/temp-folder.ts";

const folder = join(import.meta.dir, "../../deploy");
const read = (path: string) => readFileSync(join(folder, path), "utf8");
const ports = services.map(({ port }) => port).sort();
const nodes = ["node-1", "node-2", "node-3"];

// biome-ignore lint/suspicious/noExplicitAny: files of other programs, looked into by path.
type Any = any;

describe("compose.yaml", () => {
  const file: Any = parse(read("compose.yaml"), { merge: true });

  test("has three equal nodes that differ in name and volume alone", () => {
    const [first, ...others] = nodes.map((node) => file.services[node]);
    for (const [index, node] of nodes.entries()) {
      expect(file.services[node].hostname).toBe(node);
      expect(file.services[node].environment.PLATFORM_NODE_NAME).toBe(node);
      expect(file.services[node].environment.PLATFORM_MESH_SEEDS).toContain(`${node}:8000`);
      expect(file.services[node].environment.ARGOSY_ALLOWED_HOSTS).toContain(node);
      expect(Object.keys(file.volumes)[index]).toBe(node);
    }
    const shared = ({
      environment: { PLATFORM_NODE_NAME: _, ...environment },
      hostname: __,
      volumes,
      ...rest
    }: Any) => ({
      environment,
      rest,
      volumes: volumes.slice(0, -1),
    });
    for (const other of others) expect(shared(other)).toEqual(shared(first));
  });

  test("every service that another one waits for has a health check, and every file that is mounted exists", () => {
    for (const service of Object.values<Any>(file.services)) {
      for (const [name, { condition }] of Object.entries<Any>(service.depends_on ?? {})) {
        expect([name, condition, file.services[name].healthcheck !== undefined]).toEqual([
          name,
          "service_healthy",
          true,
        ]);
      }
      for (const volume of service.volumes ?? []) {
        const [source] = volume.split(":");
        if (source.startsWith("."))
          expect([source, existsSync(join(folder, source))]).toEqual([source, true]);
        else expect(Object.keys(file.volumes)).toContain(source);
      }
    }
  });

  test("needs exactly the variables of example.env", () => {
    const needed = new Set([...read("compose.yaml").matchAll(/\$\{([A-Z_]+)/g)].map(([, name]) => name));
    const given = [...read("example.env").matchAll(/^([A-Z_]+)=/gm)].map(([, name]) => name);
    expect([...needed].sort()).toEqual(given.sort());
  });

  test("the database has connections for all services of all nodes", () => {
    const [, most] = /max_connections=(\d+)/.exec(file.services.postgres.command.join(" ")) ?? [];
    expect(Number(most)).toBeGreaterThan(nodes.length * services.length * connectionsMax);
  });

  test("the load balancer has a port, a backend and a health check for each service and node", () => {
    const published = file.services.balancer.ports.map((port: string) => Number(port.split(":")[0]));
    expect(published.sort()).toEqual(ports);
    const config = read("haproxy.cfg");
    expect(config).toContain("http-check send meth GET uri /readyz");
    for (const { name, port } of services) {
      expect(config).toContain(`frontend ${name}\n    bind :${port}\n`);
      for (const node of nodes) expect(config).toContain(`server ${node} ${node}:${port} `);
    }
  });

  const hasCompose =
    Bun.which("docker") !== null &&
    Bun.spawnSync(["docker", "compose", "version"], { stderr: "ignore" }).success;
  const named = `docker compose accepts it${hasCompose ? "" : " (docker compose not installed)"}`;
  test.skipIf(!hasCompose)(named, () => {
    using place = temporaryFolder();
    const env = join(place.path, "env");
    writeFileSync(env, read("example.env").replaceAll(/=$/gm, "=x"));
    const checked = Bun.spawnSync([
      "docker",
      "compose",
      "-f",
      join(folder, "compose.yaml"),
      "--env-file",
      env,
      "config",
      "-q",
    ]);
    expect(checked.stderr.toString()).toBe("");
  });
});

describe("kubernetes", () => {
  const objects: Any[] = parseAllDocuments(read("kubernetes/argosy.yaml")).map((document) => {
    expect(document.errors).toEqual([]);
    return document.toJS();
  });
  const find = (kind: string, name: string) =>
    objects.find((object) => object.kind === kind && object.metadata.name === name);
  const set = find("StatefulSet", "argosy");
  const pod = set.spec.template;
  const [container] = pod.spec.containers;

  test("all selectors choose the nodes", () => {
    const { labels } = pod.metadata;
    expect(set.spec.selector.matchLabels).toEqual(labels);
    expect(find("PodDisruptionBudget", "argosy").spec.selector.matchLabels).toEqual(labels);
    for (const name of ["argosy", "argosy-nodes"])
      expect(find("Service", name).spec.selector).toEqual(labels);
    expect(find("Service", set.spec.serviceName).spec.clusterIP).toBe("None");
  });

  test("ports, volumes and maps that are named exist", () => {
    const named = container.ports.map(({ name }: Any) => name);
    for (const { spec } of objects.filter(({ kind }) => kind === "Service")) {
      for (const { targetPort } of spec.ports) expect(named).toContain(targetPort);
    }
    expect(container.ports.map(({ containerPort }: Any) => containerPort).sort()).toEqual(ports);
    const volumes = pod.spec.volumes.map(({ name }: Any) => name);
    for (const { name } of container.volumeMounts) expect(volumes).toContain(name);
    for (const { configMap } of pod.spec.volumes) {
      if (configMap !== undefined) expect(find("ConfigMap", configMap.name)).toBeDefined();
    }
  });

  test("readiness, liveness and draining are those of the executable", () => {
    expect(container.readinessProbe.httpGet.path).toBe("/readyz");
    expect(container.livenessProbe.httpGet.path).toBe("/healthz");
    for (const probe of ["startupProbe", "readinessProbe", "livenessProbe"]) {
      // Kubelets call by the pod's address, which is no allowed host.
      expect(container[probe].httpGet.httpHeaders).toEqual([{ name: "Host", value: "localhost" }]);
    }
    expect(container.lifecycle.preStop.exec.command.join(" ")).toContain("argosy mesh drain");
    expect(pod.spec.terminationGracePeriodSeconds).toBeGreaterThan(60 + 6 + 60 + 11);
    expect(find("PodDisruptionBudget", "argosy").spec.maxUnavailable).toBeLessThan(set.spec.replicas / 2);
  });

  test("each node knows the addresses of all", () => {
    const variables = Object.fromEntries(container.env.map(({ name, value }: Any) => [name, value]));
    for (let at = 0; at < set.spec.replicas; at++) {
      const host = `${set.metadata.name}-${at}${variables.NODE_DOMAIN}`;
      expect(variables.PLATFORM_MESH_SEEDS).toContain(`${host}:8000`);
      expect(variables.ARGOSY_ALLOWED_HOSTS.split(",")).toContain(host);
    }
  });
});

const analyzer = Bun.which("systemd-analyze");
const named =
  analyzer === null ? "systemd accepts the unit (systemd-analyze not installed)" : "systemd accepts the unit";
test.skipIf(analyzer === null)(named, () => {
  using place = temporaryFolder();
  const unit = join(place.path, "argosy.service");
  writeFileSync(unit, read("argosy.service").replaceAll("/usr/local/bin/argosy", "/bin/true"));
  const { stderr, exitCode } = Bun.spawnSync(["systemd-analyze", "verify", unit]);
  expect([exitCode, stderr.toString()]).toEqual([0, ""]);
});
