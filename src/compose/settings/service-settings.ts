import { AppError } from "../../kit/app-error.ts";
import type { RuntimeFile } from "../../manifest/files/runtime-file.ts";
import { asFlag, asList, asPort, asText, type SettingReader } from "./setting.ts";

/** Name of a service, as runtime.yaml spells it. */
export type ServiceName = keyof NonNullable<RuntimeFile["spec"]["services"]>;

export interface ServiceConfig {
  enabled: boolean;
  host: string;
  port: number;
}

/** Settings by service, for the services of this executable. */
export type ServiceConfigs = Readonly<Partial<Record<ServiceName, ServiceConfig>>>;

/** Options of the command line about services. */
export interface ServiceFlags {
  host?: string;
  port?: string;
  services?: string;
}

/** The part of a service's description that settings are read by. */
export interface ServicePort {
  name: ServiceName;
  /** Default port. */
  port: number;
  /** Environment variables for the port; the first one set wins. */
  portVariables: readonly [string, ...string[]];
}

/** Returns the settings of a service of this executable. */
export function serviceConfig(configs: ServiceConfigs, name: ServiceName): ServiceConfig {
  const config = configs[name];
  if (config !== undefined) return config;
  throw new AppError("internal", "service_missing", `This executable has no service ${name}.`);
}

/** Reads which of the executable's services start and where: flags, then variables, then runtime.yaml. */
export function readServices(
  reader: SettingReader,
  flags: ServiceFlags,
  runtime: RuntimeFile,
  services: readonly ServicePort[],
  starts: (service: ServiceName) => boolean = () => true,
): ServiceConfigs {
  const names = services.map(({ name }) => name);
  const chosen = reader.find({
    key: "services",
    flag: { name: "services", value: flags.services },
    read: (text) => {
      const list = asList(text);
      return list?.every((name) => names.some((known) => known === name)) ? list : undefined;
    },
    expects: `a comma-separated list of ${names.join(", ")}`,
  });
  // For all services, and stronger than an address in the file: a flag that closes a node closes every service of it.
  const hostRule = {
    flag: { name: "host", value: flags.host },
    variables: ["ARGOSY_HOST"],
    read: asText,
    expects: "an address",
  };
  const commonHost = reader.get({ key: "host", ...hostRule }, "127.0.0.1");
  const configs: Partial<Record<ServiceName, ServiceConfig>> = {};
  for (const [index, { name, port: usualPort, portVariables }] of services.entries()) {
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
      starts(name),
    );
    const host = reader.get(
      {
        key: `services.${name}.host`,
        ...hostRule,
        file: { path: `${path}.host`, value: file?.host },
      },
      commonHost,
    );
    const port = reader.get(
      {
        key: `services.${name}.port`,
        // The flag applies to one service only: the first, whose console shows all others.
        ...(index === 0 ? { flag: { name: "port", value: flags.port } } : {}),
        variables: portVariables,
        file: { path: `${path}.port`, value: file?.port },
        read: asPort,
        expects: "a port from 0 to 65535",
      },
      // Port 0 means any free port, also for the other services.
      flags.port === "0" ? 0 : usualPort,
    );
    configs[name] = { enabled, host, port };
  }
  return configs;
}
