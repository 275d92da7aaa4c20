import type { RuntimeFile } from "../manifest/files/runtime-file.ts";
import type { ConfigFlags } from "./config.ts";
import { type ServiceName, serviceRules } from "./services.ts";
import { asFlag, asList, asPort, asText, type SettingReader } from "./setting.ts";

export interface ServiceConfig {
  enabled: boolean;
  host: string;
  port: number;
}

/** Reads which services start and where: flags, then variables, then runtime.yaml. */
export function readServices(
  reader: SettingReader,
  flags: ConfigFlags,
  runtime: RuntimeFile,
): Record<ServiceName, ServiceConfig> {
  const names = Object.keys(serviceRules) as ServiceName[];
  const chosen = reader.find({
    key: "services",
    flag: { name: "services", value: flags.services },
    read: (text) => {
      const list = asList(text);
      return list?.every((name) => names.some((known) => known === name)) ? list : undefined;
    },
    expects: `a comma-separated list of ${names.join(", ")}`,
  });
  const commonHost = reader.get(
    {
      key: "host",
      flag: { name: "host", value: flags.host },
      variables: ["ARGOSY_HOST"],
      read: asText,
      expects: "an address",
    },
    "127.0.0.1",
  );
  const services: Partial<Record<ServiceName, ServiceConfig>> = {};
  for (const name of names) {
    const rule = serviceRules[name];
    const file = runtime.spec.services?.[name];
    const path = `spec.services.${name}`;
    const enabled = reader.get(
      {
        key: `services.${name}.enabled`,
        ...(chosen === undefined ? {} : { flag: { name: "services", value: chosen.includes(name) } }),
        file: { path: `${path}.enabled`, value: file?.enabled },
        read: asFlag,
        expects: "true or false",
      },
      true,
    );
    const host = reader.get(
      {
        key: `services.${name}.host`,
        file: { path: `${path}.host`, value: file?.host },
        read: asText,
        expects: "an address",
      },
      commonHost,
    );
    const port = reader.get(
      {
        key: `services.${name}.port`,
        // The flag applies to one service only: the daemon, through which all others are reached.
        ...(name === "daemon" ? { flag: { name: "port", value: flags.port } } : {}),
        variables: rule.portVariables,
        file: { path: `${path}.port`, value: file?.port },
        read: asPort,
        expects: "a port from 0 to 65535",
      },
      // Port 0 means any free port, also for the other services.
      flags.port === "0" ? 0 : rule.port,
    );
    services[name] = { enabled, host, port };
  }
  return services as Record<ServiceName, ServiceConfig>;
}
