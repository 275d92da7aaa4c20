import { cloudService } from "./cloud/service.ts";
import { daemonService } from "./daemon/service.ts";
import { gatewayService } from "./gateway/service.ts";
import { platformService } from "./platform/service.ts";
import type { Service } from "./service.ts";
import { translatorService } from "./translator/service.ts";

/** All services of this executable in order of assembly, each after those that it needs. */
export const services: readonly Service[] = [
  daemonService,
  platformService,
  gatewayService,
  cloudService,
  translatorService,
];
