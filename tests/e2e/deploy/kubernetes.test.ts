import { expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { Ajv } from "ajv";
import { parse, parseAllDocuments } from "yaml";

/*
 * deploy/kubernetes against the fields that Kubernetes has in these kinds, so that a misspelt one is found without a cluster, and against
 * itself: names of volumes, ports and labels that one part gives and another uses.
 */

const folder = join(import.meta.dir, "../../../deploy/kubernetes");
const textOf = (file: string) => readFileSync(join(folder, file), "utf8");

type Json = Record<string, unknown>;
const text = { type: "string" };
const whole = { type: "integer" };
const flag = { type: "boolean" };
const list = (items: Json) => ({ type: "array", items, minItems: 1 });
const closed = (properties: Json, required: readonly string[] = []) => ({
  type: "object",
  properties,
  required,
  additionalProperties: false,
});
const texts = { type: "object", additionalProperties: text };
const anyPort = { anyOf: [text, whole] };

const metadata = closed({ name: text, labels: texts, annotations: texts }, ["name"]);
const selector = closed({ matchLabels: texts }, ["matchLabels"]);
const security = closed({
  allowPrivilegeEscalation: flag,
  readOnlyRootFilesystem: flag,
  capabilities: closed({ drop: list(text), add: list(text) }),
});
const exec = closed({ command: list(text) }, ["command"]);
const probe = closed({
  httpGet: closed({ path: text, port: anyPort, httpHeaders: list(closed({ name: text, value: text })) }, [
    "port",
  ]),
  exec,
  periodSeconds: whole,
  timeoutSeconds: whole,
  failureThreshold: whole,
});
const amounts = closed({ cpu: text, memory: text });
const container = closed(
  {
    name: text,
    image: text,
    imagePullPolicy: { enum: ["Always", "IfNotPresent", "Never"] },
    command: list(text),
    args: list(text),
    envFrom: list(closed({ secretRef: closed({ name: text }, ["name"]) })),
    env: list(
      closed(
        {
          name: text,
          value: text,
          valueFrom: closed({ fieldRef: closed({ fieldPath: text }, ["fieldPath"]) }),
        },
        ["name"],
      ),
    ),
    ports: list(closed({ name: text, containerPort: whole, protocol: text }, ["containerPort"])),
    startupProbe: probe,
    readinessProbe: probe,
    livenessProbe: probe,
    lifecycle: closed({ preStop: closed({ exec }) }),
    resources: closed({ requests: amounts, limits: amounts }),
    securityContext: security,
    volumeMounts: list(
      closed({ name: text, mountPath: text, subPath: text, readOnly: flag }, ["name", "mountPath"]),
    ),
  },
  ["name", "image"],
);
const term = closed({ topologyKey: text, labelSelector: selector }, ["topologyKey"]);
const pod = closed(
  {
    terminationGracePeriodSeconds: whole,
    securityContext: closed({
      runAsNonRoot: flag,
      runAsUser: whole,
      fsGroup: whole,
      seccompProfile: closed({ type: text }, ["type"]),
    }),
    affinity: closed({
      podAntiAffinity: closed({
        preferredDuringSchedulingIgnoredDuringExecution: list(
          closed({ weight: whole, podAffinityTerm: term }, ["weight", "podAffinityTerm"]),
        ),
      }),
    }),
    initContainers: list(container),
    containers: list(container),
    volumes: list(
      closed({ name: text, configMap: closed({ name: text }, ["name"]), emptyDir: closed({}) }, ["name"]),
    ),
  },
  ["containers"],
);
const backend = closed({
  service: closed({ name: text, port: closed({ name: text, number: whole }) }, ["name", "port"]),
});
const from = list(closed({ podSelector: selector, namespaceSelector: selector }));
const target = closed({ type: text, averageUtilization: whole, averageValue: text }, ["type"]);

/** `spec` of each kind; undefined for a kind with `data`. */
const kinds: Readonly<Record<string, { apiVersion: string; spec?: Json }>> = {
  ConfigMap: { apiVersion: "v1" },
  Service: {
    apiVersion: "v1",
    spec: closed({
      clusterIP: text,
      publishNotReadyAddresses: flag,
      selector: texts,
      ports: list(closed({ name: text, port: whole, targetPort: anyPort }, ["port"])),
    }),
  },
  PodDisruptionBudget: {
    apiVersion: "policy/v1",
    spec: closed({ maxUnavailable: anyPort, minAvailable: anyPort, selector }),
  },
  StatefulSet: {
    apiVersion: "apps/v1",
    spec: closed(
      {
        serviceName: text,
        replicas: whole,
        podManagementPolicy: { enum: ["OrderedReady", "Parallel"] },
        updateStrategy: closed({ type: { enum: ["RollingUpdate", "OnDelete"] } }),
        selector,
        template: closed({ metadata: closed({ labels: texts }), spec: pod }, ["spec"]),
      },
      ["selector", "template", "serviceName"],
    ),
  },
  Ingress: {
    apiVersion: "networking.k8s.io/v1",
    spec: closed({
      ingressClassName: text,
      tls: list(closed({ hosts: list(text), secretName: text })),
      rules: list(
        closed({
          host: text,
          http: closed({
            paths: list(
              closed(
                { path: text, pathType: { enum: ["Prefix", "Exact", "ImplementationSpecific"] }, backend },
                ["pathType", "backend"],
              ),
            ),
          }),
        }),
      ),
    }),
  },
  HorizontalPodAutoscaler: {
    apiVersion: "autoscaling/v2",
    spec: closed(
      {
        scaleTargetRef: closed({ apiVersion: text, kind: text, name: text }, ["kind", "name"]),
        minReplicas: whole,
        maxReplicas: whole,
        metrics: list(
          closed(
            {
              type: { enum: ["Resource", "Pods", "Object", "External", "ContainerResource"] },
              resource: closed({ name: text, target }, ["name", "target"]),
              pods: closed({ metric: closed({ name: text }, ["name"]), target }, ["metric", "target"]),
            },
            ["type"],
          ),
        ),
        behavior: closed({
          scaleDown: closed({
            stabilizationWindowSeconds: whole,
            policies: list(
              closed({ type: text, value: whole, periodSeconds: whole }, ["type", "value", "periodSeconds"]),
            ),
          }),
        }),
      },
      ["scaleTargetRef", "maxReplicas"],
    ),
  },
  NetworkPolicy: {
    apiVersion: "networking.k8s.io/v1",
    spec: closed(
      {
        podSelector: selector,
        policyTypes: list({ enum: ["Ingress", "Egress"] }),
        ingress: list(closed({ from, ports: list(closed({ port: anyPort, protocol: text })) })),
      },
      ["podSelector"],
    ),
  },
};

function problemsOf(resource: Json): string[] {
  const { kind, apiVersion } = resource as { kind: string; apiVersion: string };
  const known = kinds[kind];
  if (known === undefined) return [`unknown kind ${kind}`];
  if (known.apiVersion !== apiVersion) return [`${kind} is in ${known.apiVersion}`];
  const content = known.spec === undefined ? { data: texts } : { spec: known.spec };
  const schema = closed({ apiVersion: text, kind: text, metadata, ...content }, [
    "metadata",
    ...Object.keys(content),
  ]);
  const check = new Ajv({ allErrors: true, strict: false }).compile(schema);
  check(resource);
  return (check.errors ?? []).map(
    ({ instancePath, message, params }) => `${kind}${instancePath} ${message} ${JSON.stringify(params)}`,
  );
}

const kustomization = parse(textOf("kustomization.yaml")) as { kind: string; resources: string[] };
const resources = kustomization.resources.flatMap((file) =>
  parseAllDocuments(textOf(file)).map((document) => document.toJS() as Json),
);
// biome-ignore lint/suspicious/noExplicitAny: the schema above has checked its form.
const find = (kind: string, name = "argosy"): any =>
  resources.find((one) => one.kind === kind && (one.metadata as Json).name === name);

test("each resource has only fields of its kind", () => {
  expect(resources.flatMap(problemsOf)).toEqual([]);
  const misspelt = structuredClone(find("StatefulSet"));
  misspelt.spec.template.spec.containers[0].readinesProbe = {};
  expect(problemsOf(misspelt)[0]).toContain("readinesProbe");
});

test("names that are used are given: volumes, configuration, ports, services and labels", () => {
  const { spec: set } = find("StatefulSet");
  const pod = set.template.spec;
  const containers = [...pod.initContainers, ...pod.containers];
  const volumes = pod.volumes.map(({ name }: { name: string }) => name);
  const mounts = containers.flatMap(({ volumeMounts }) =>
    volumeMounts.map(({ name }: { name: string }) => name),
  );
  expect([...new Set(mounts)].sort()).toEqual([...volumes].sort());
  for (const { configMap } of pod.volumes)
    if (configMap !== undefined) expect(find("ConfigMap", configMap.name)).toBeDefined();
  const ports = pod.containers[0].ports.map(({ name }: { name: string }) => name);
  for (const service of [find("Service"), find("Service", set.serviceName)])
    for (const { targetPort } of service.spec.ports) expect(ports).toContain(targetPort);
  for (const { from: _, ports: open } of find("NetworkPolicy").spec.ingress)
    for (const { port } of open) expect(ports).toContain(port);
  const labels = set.template.metadata.labels;
  for (const selected of [
    set.selector.matchLabels,
    find("PodDisruptionBudget").spec.selector.matchLabels,
    find("Service").spec.selector,
    find("NetworkPolicy").spec.podSelector.matchLabels,
  ])
    expect(labels).toMatchObject(selected);
  expect(find("HorizontalPodAutoscaler").spec.scaleTargetRef.name).toBe("argosy");
  const { backend } = find("Ingress").spec.rules[0].http.paths[0];
  expect(find(backend.service.name === "argosy" ? "Service" : "").spec.ports).toContainEqual(
    expect.objectContaining({ name: backend.service.port.name }),
  );
});

test("the files of the workspace, which nodes share, are in a folder that they can write", () => {
  const [argosy] = find("StatefulSet").spec.template.spec.containers;
  const workspace = argosy.volumeMounts.find(
    ({ mountPath }: { mountPath: string }) => mountPath === "/workspace",
  );
  expect(workspace).toEqual({ name: "files", mountPath: "/workspace" });
  const compose = parse(readFileSync(join(folder, "../compose.yaml"), "utf8"), { merge: true });
  for (const name of ["node-1", "node-2", "node-3"]) {
    expect(compose.services[name].volumes).toEqual(["./workspace:/seed:ro", `${name}:/data`]);
    expect(compose.services[name].environment.ARGOSY_WORKSPACE).toBe("/data/workspace");
  }
});
