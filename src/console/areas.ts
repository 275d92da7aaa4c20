import type { Area, Page } from "./area.ts";
import { cloudArea } from "./cloud/cloud-area.ts";
import { gatewayArea } from "./gateway/gateway-area.ts";
import { operationsArea } from "./operations/operations-area.ts";
import { platformArea } from "./platform/platform-area.ts";
import { studioArea } from "./studio/studio-area.ts";
import { translatorArea } from "./translator/translator-area.ts";

/** All areas of the console, in the order of the navigation. A new area is a folder of pages with its area, and an entry here. */
export const areas: readonly Area[] = [
  studioArea,
  platformArea,
  gatewayArea,
  cloudArea,
  translatorArea,
  operationsArea,
];

/** All pages, each loaded when it is opened. */
export const pages: readonly Page[] = areas.flatMap((area) => area.pages);
