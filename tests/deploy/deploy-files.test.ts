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
/** Port on which nodes talk to each other. */
const nodesPort = 8443;
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
      expect(file.services[node].environment.PLATFORM_MESH_SEEDS).toContain(`${node}:${nodesPort}`);
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
    expect(container.ports.map(({ containerPort }: Any) => containerPort).sort()).toEqual([
      ...ports,
      nodesPort,
    ]);
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
      // Kubelets call by the pod's address, which is not an allowed host.
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
      expect(variables.PLATFORM_MESH_SEEDS).toContain(`${host}:${nodesPort}`);
    }
    // Each node is called by its own name, however many there are.
    const own = "$(PLATFORM_NODE_NAME)$(NODE_DOMAIN)";
    expect(variables.ARGOSY_ALLOWED_HOSTS.split(",")).toContain(own);
    const before = container.env.findIndex(({ name }: Any) => name === "ARGOSY_ALLOWED_HOSTS");
    for (const [, name] of own.matchAll(/\$\((\w+)\)/g))
      expect(container.env.slice(0, before).map(({ name }: Any) => name)).toContain(name);
  });

  test("ingress, autoscaler and network policy name what the nodes have", () => {
    const { resources } = parse(read("kubernetes/kustomization.yaml"));
    const parts = resources.flatMap((file: string) =>
      parseAllDocuments(read(`kubernetes/${file}`)).map((document) => document.toJS()),
    );
    const part = (kind: string) => parts.find((each: Any) => each.kind === kind);
    const [rule] = part("Ingress").spec.rules;
    for (const { backend } of rule.http.paths) {
      const service = find("Service", backend.service.name);
      expect(service.spec.ports.map(({ name }: Any) => name)).toContain(backend.service.port.name);
    }
    expect(part("Ingress").spec.tls[0].hosts).toEqual([rule.host]);
    expect(container.env.find(({ name }: Any) => name === "ARGOSY_ALLOWED_HOSTS").value).toContain(rule.host);
    const { kind, name } = part("HorizontalPodAutoscaler").spec.scaleTargetRef;
    expect(find(kind, name)).toBeDefined();
    expect(part("HorizontalPodAutoscaler").spec.minReplicas).toBe(set.spec.replicas);
    const { podSelector, ingress } = part("NetworkPolicy").spec;
    expect(podSelector.matchLabels).toEqual(pod.metadata.labels);
    const open = ingress.flatMap(({ ports }: Any) => ports.map(({ port }: Any) => port));
    for (const port of open) expect(container.ports.map(({ name }: Any) => name)).toContain(port);
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

describe("alerts and dashboard", () => {
  const sources = [...new Bun.Glob("**/*.ts").scanSync(join(folder, "../src"))]
    .map((path) => readFileSync(join(folder, "../src", path), "utf8"))
    .join("\n");
  const alerts = read("prometheus/argosy-alerts.yml");
  const dashboard: Any = JSON.parse(read("grafana/argosy.json"));
  const queries: string[] = [
    ...parse(alerts).groups.flatMap(({ rules }: Any) => rules.map(({ expr }: Any) => expr)),
    ...dashboard.panels.flatMap(({ targets }: Any) => targets.map(({ expr }: Any) => expr)),
  ];

  test("ask for metrics that the services have", () => {
    const names = new Set(queries.flatMap((query) => query.match(/\b(platform|gateway)_[a-z_]+/g) ?? []));
    expect(names.size).toBeGreaterThan(20);
    const unknown = [...names].filter((name) => !sources.includes(`"${name.replace(/_bucket$/, "")}"`));
    expect(unknown).toEqual([]);
  });

  test("each alert says what to do, and is tried by the rules' own tests", () => {
    const tried = read("prometheus/argosy-alerts.test.yml");
    for (const { alert, annotations, labels } of parse(alerts).groups[0].rules) {
      expect([alert, typeof annotations.action, labels.severity]).toEqual([
        alert,
        "string",
        expect.stringMatching(/^(page|warn)$/),
      ]);
      expect(tried).toContain(`alertname="${alert}"`);
    }
  });

  test("panels are in a grid of three, each with a number and a title of its own", () => {
    const places = dashboard.panels.map(({ gridPos: { x, y } }: Any) => `${x} ${y}`);
    expect(new Set(places).size).toBe(dashboard.panels.length);
    expect(new Set(dashboard.panels.map(({ title }: Any) => title)).size).toBe(dashboard.panels.length);
  });
});

const promtool = Bun.which("promtool");
const unless = promtool === null ? " (promtool not installed)" : "";

describe.skipIf(promtool === null)(`Prometheus itself${unless}`, () => {
  test.each([
    ["takes the configuration", ["check", "config", "--syntax-only", "prometheus.yml"]],
    ["takes the rules", ["check", "rules", "argosy-alerts.yml"]],
    ["alerts for each trouble and for none", ["test", "rules", "argosy-alerts.test.yml"]],
  ])("%s", (_title, command) => {
    const { exitCode, stdout, stderr } = Bun.spawnSync([promtool ?? "", ...command], {
      cwd: join(folder, "prometheus"),
    });
    expect(exitCode === 0 ? "" : `${stdout}${stderr}`).toBe("");
  });
});
