import type { Area, Page } from "./page.ts";
import { platformPages } from "./platform/platform-pages.ts";
import { studioPages } from "./studio/studio-pages.ts";
import { areaTexts } from "./texts/shell.ts";

/** All pages, each loaded when it is opened. To add one, add a file and a line in its area's list. */
export const pages: readonly Page[] = [...studioPages, ...platformPages];

/** Start page of each area. */
export const homes: Readonly<Record<Area, string>> = { studio: "/studio", platform: "/platform" };

export const areaLabels: Readonly<Record<Area, string>> = areaTexts;
