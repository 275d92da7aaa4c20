import type { RuntimeFile } from "../../manifest/runtime-file.ts";
import { asFlag, asHttpUrl, asPositive, oneOf, type SettingReader } from "./setting.ts";

export interface ObservabilityConfig {
  /** `stdout`: each trace is also written there as a line; `otlp`: it is also exported. The daemon always stores traces. */
  collector: "internal" | "stdout" | "otlp";
  /** Target of the trace export; absent if there is none. */
  otlp?: { endpoint: string; headers: Readonly<Record<string, string>> };
  /** True if the traces of all agents keep question and answer. */
  record: boolean;
  retention: { days: number; bytesMax: number };
}

/** Default address of an OpenTelemetry collector (opentelemetry.io, "OTLP specification"). */
const endpointDefault = "http://127.0.0.1:4318/v1/traces";

const collectors = ["internal", "stdout", "otlp"] as const;

/** Reads the settings for recording, exporting and retaining traces. */
export function readObservability(reader: SettingReader, { spec }: RuntimeFile): ObservabilityConfig {
  const file = spec.observability;
  const path = "spec.observability";
  const collector = reader.get<ObservabilityConfig["collector"]>(
    {
      key: "observability.collector",
      file: { path: `${path}.collector`, value: file?.collector },
      read: oneOf(collectors),
      expects: "internal, stdout or otlp",
    },
    "internal",
  );
  const enabled = reader.get(
    {
      key: "observability.otlp.enabled",
      file: { path: `${path}.otlp.enabled`, value: file?.otlp?.enabled },
      read: asFlag,
      expects: "true or false",
    },
    collector === "otlp",
  );
  const endpoint = reader.get(
    {
      key: "observability.otlp.endpoint",
      variables: ["OTEL_EXPORTER_OTLP_TRACES_ENDPOINT"],
      file: { path: `${path}.otlp.endpoint`, value: file?.otlp?.endpoint },
      read: asHttpUrl,
      expects: "an http or https address",
    },
    endpointDefault,
  );
  if (collector === "otlp" && !enabled) {
    reader.fault(`${path}.otlp.enabled`, "can't be false while the collector is otlp");
  }
  return {
    collector,
    ...(enabled ? { otlp: { endpoint, headers: file?.otlp?.headers ?? {} } } : {}),
    record: reader.get(
      {
        key: "observability.record",
        file: { path: `${path}.record`, value: file?.record },
        read: asFlag,
        expects: "true or false",
      },
      false,
    ),
    retention: {
      days: reader.get(
        {
          key: "observability.retention_days",
          file: { path: `${path}.retention_days`, value: file?.retention_days },
          read: asPositive,
          expects: "a number of days",
        },
        7,
      ),
      bytesMax: reader.get(
        {
          key: "observability.retention_bytes",
          file: { path: `${path}.retention_bytes`, value: file?.retention_bytes },
          read: asPositive,
          expects: "a number of bytes",
        },
        256 * 1024 * 1024,
      ),
    },
  };
}
