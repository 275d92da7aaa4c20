import { valueAt, withValueAt } from "../../../../declared/value-at-path.ts";
import { isRecord } from "../../../../kit/json/is-record.ts";
import type { JsonObject } from "../../mapping/section-table.ts";
import type { AccountResource, ReadyResource } from "../account.ts";
import { asSent } from "../held-config.ts";
import { configHash, type Marks, marksFor, mergedLabels, withoutMarks } from "../owner-marks.ts";
import type { GoogleKind } from "./google-kinds.ts";
import { fromWire, toWire } from "./proto-json.ts";

/* Between configs and the bodies of Google Cloud's REST calls. */

const embedding = "vector_db_config.rag_embedding_model_config.vertex_prediction_endpoint.endpoint";

/** The last line of a description that holds marks. */
const markLine = /(?:^|\n)\[argosy ([a-z0-9=_ -]+)\]$/;

/** Returns the marks of a resource as the cloud returned it. */
export function marksOf({ marks }: GoogleKind, wire: JsonObject): Marks {
  if (marks === "labels") return isRecord(wire.labels) ? (wire.labels as Record<string, string>) : {};
  const [, pairs = ""] = markLine.exec(String(wire.description ?? "")) ?? [];
  return Object.fromEntries(pairs.split(" ").map((pair) => pair.split("=", 2) as [string, string]));
}

/** Returns the body that creates a resource, or changes `current` to it. `before` is the config that was sent last. */
export function bodyOf(
  kind: GoogleKind,
  {
    spec,
    parent,
    resource,
    current,
    before,
  }: {
    spec: string;
    parent: string;
    resource: ReadyResource;
    current?: JsonObject;
    before?: JsonObject | undefined;
  },
): JsonObject {
  const marks = marksFor(spec, resource);
  const sent = Object.fromEntries(
    kind.fields.flatMap((field) => (field in resource.config ? [[field, resource.config[field]]] : [])),
  );
  const endpoint = valueAt(sent, embedding);
  const body =
    typeof endpoint === "string" && endpoint.startsWith("publishers/")
      ? withValueAt(sent, embedding, `${parent}/${endpoint}`)
      : sent;
  if (kind.marks === "labels") {
    body.labels = mergedLabels(current && marksOf(kind, current), before?.labels, body.labels, marks);
  } else {
    const line = `[argosy ${Object.entries(marks)
      .map(([key, value]) => `${key}=${value}`)
      .join(" ")}]`;
    body.description = [body.description, line]
      .filter((text) => text !== undefined && text !== "")
      .join("\n");
  }
  return toWire(body) as JsonObject;
}

/** Returns what a resource is for the keys that were sent. */
export function heldConfig(
  kind: GoogleKind,
  wire: JsonObject,
  parent: string,
  sent: ReadyResource | undefined,
): JsonObject {
  const all = fromWire(wire) as JsonObject;
  let config = Object.fromEntries(
    kind.fields.flatMap((field) => (field in all ? [[field, all[field]]] : [])),
  ) as JsonObject;
  if (kind.marks === "labels") config = withValueAt(config, "labels", withoutMarks(marksOf(kind, wire)));
  else {
    const text = String(config.description ?? "").replace(markLine, "");
    config = withValueAt(config, "description", text === "" ? undefined : text);
  }
  const endpoint = valueAt(config, embedding);
  if (typeof endpoint === "string") {
    // The project may come back as its number.
    const location = parent.slice(parent.indexOf("/locations/"));
    const [head = "", tail] = endpoint.split(/(?=publishers\/)/);
    if (tail !== undefined && head.endsWith(`${location}/`)) config = withValueAt(config, embedding, tail);
  }
  if (sent === undefined) return config;
  const limited = asSent(config, sent.config) as JsonObject;
  // The hash says that the cloud was last sent this very config, so what it never returns is as it was sent.
  if (marksOf(kind, wire)["config-sha256"] !== configHash(sent.config)) return limited;
  return kind.unreturned.reduce((whole, path) => {
    const value = valueAt(sent.config, path);
    return value === undefined ? whole : withValueAt(whole, path, value);
  }, limited);
}

export const heldResource = (
  kind: GoogleKind,
  wire: JsonObject,
  name: string,
  parent: string,
  sent: readonly ReadyResource[],
): AccountResource => ({
  id: String(wire.name),
  resource_type: kind.resource_type,
  name,
  config: heldConfig(
    kind,
    wire,
    parent,
    sent.find((one) => one.resource_type === kind.resource_type && one.name === name),
  ),
});
