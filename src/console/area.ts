import { type ComponentType, createContext, use } from "react";
import type { ConsoleState, SignedInAs } from "../contracts/console/session.ts";
import type { Server } from "./api/server.ts";
import type { IconName } from "./parts/icon.tsx";
import type { LazyView } from "./parts/states/lazy-view.tsx";

/** A part of the console: the pages of one service, and their places in the frame. `areas.ts` lists all areas. */
export interface Area {
  /** Address of its first page, and prefix of the addresses of all its pages. */
  path: string;
  title: string;
  icon: IconName;
  /** Service that its pages call. */
  service: string;
  pages: readonly Page[];
  /** Returns true if the session may open the area. */
  isOpenTo: (signedIn: SignedInAs) => boolean;
  /** Returns a page at which the session starts even if another area is the server's home. */
  startOf?: (signedIn: SignedInAs, isHome: boolean) => string | undefined;
  /** Returns values for the path parameters of its navigation entries. Entries with an unknown value are not shown. */
  parametersOf?: (location: string) => Readonly<Record<string, string | undefined>>;
  /** Shown above the navigation entries. */
  NavHead?: ComponentType;
  /** Returns entries of the user menu. */
  menuOf?: (state: ConsoleState, signedIn: SignedInAs) => readonly MenuEntry[];
  /** Groups of commands in the palette, in addition to the pages. */
  commands?: readonly Commands[];
  /** Returns the page in place of all others while the session must do something first. */
  barrierOf?: (signedIn: SignedInAs) => LazyView | undefined;
  /** Token that signs a user in to the area, as the sign-in page names it. */
  token?: string;
}

/** A page of an area. */
export interface Page {
  /** A pattern of wouter, such as `/studio/agents/:name`. */
  path: string;
  /** Entry in the navigation. Pages without it are reached from other pages. */
  nav?: NavPlace;
  /** Uses the whole width of the window. */
  wide?: boolean;
  /** Returns true if the session may see the page. Pages without it are open to all sessions of the area. */
  isOpenTo?: (signedIn: SignedInAs) => boolean;
  View: LazyView;
}

export interface NavPlace {
  group: NavGroup;
  label: string;
  icon: IconName;
  badge?: NavBadge;
  /** Returns true if the session sees the entry. All sessions that may see the page see an entry without it. */
  isOpenTo?: (signedIn: SignedInAs) => boolean;
  /** True for the start page of other entries: it is current only at its own address. */
  isStart?: true;
}

/** A heading in the navigation. */
export interface NavGroup {
  title: string;
  /** Returns true if the session sees the group. All sessions see a group without it. */
  isOpenTo?: (signedIn: SignedInAs) => boolean;
}

interface MenuEntry {
  label: string;
  href: string;
  icon: IconName;
}

/** Facts that decide which commands there are. */
export interface CommandContext {
  signedIn: SignedInAs;
  /** Values of the area's path parameters. */
  parameters: Readonly<Record<string, string | undefined>>;
  /** Text that the user typed in the palette. */
  text: string;
}

/** A group of commands from the answers of a service. */
export interface Commands {
  group: string;
  /** Returns the key of the query; undefined if there is nothing to read in this context. */
  queryKey(context: CommandContext): readonly unknown[] | undefined;
  read(server: Server, context: CommandContext): Promise<readonly Command[]>;
}

/** A number beside an entry of the navigation, such as the approvals that wait. It is read when the page opens or gets the focus. */
export interface NavBadge {
  queryKey(parameters: CommandContext["parameters"]): readonly unknown[];
  read(server: Server, parameters: CommandContext["parameters"]): Promise<number>;
  /** Says the number in words. */
  label: (count: number) => string;
}

export interface Command {
  label: string;
  description?: string;
  href: string;
  icon: IconName;
  /** Other words that find it. */
  keywords?: string;
}

/** Returns the areas that a session can open. One behind a barrier has no navigation and no commands, which would be refused. */
export const openAreas = (
  areas: readonly Area[],
  { services }: Pick<ConsoleState, "services">,
  signedIn: SignedInAs,
): Area[] =>
  areas
    .filter(({ service, isOpenTo }) => services.includes(service) && isOpenTo(signedIn))
    .map((area) => {
      if (area.barrierOf?.(signedIn) === undefined) return area;
      const { NavHead: _, ...closed } = area;
      return { ...closed, pages: [], commands: [] };
    });

/** Returns the address at which a session starts: in the area that claims it, otherwise in the area of the server's home. */
export function homeOf(areas: readonly Area[], home: string, signedIn: SignedInAs): string {
  for (const { startOf, service } of areas) {
    const start = startOf?.(signedIn, service === home);
    if (start !== undefined) return start;
  }
  const open = areas.filter(({ isOpenTo }) => isOpenTo(signedIn));
  return (open.find(({ service }) => service === home) ?? open[0])?.path ?? "/";
}

/** Returns true if the session may see a page of the area. */
export const mayOpen = (area: Area, page: Page, signedIn: SignedInAs): boolean =>
  area.isOpenTo(signedIn) && page.isOpenTo?.(signedIn) !== false;

/** Returns true if an address belongs to an area or page. */
export const isWithin = (location: string, path: string): boolean =>
  location === path || location.startsWith(`${path}/`);

const AreasContext = createContext<readonly Area[]>([]);
export const AreasProvider = AreasContext.Provider;

/** Returns all areas, also those that the session cannot open. */
export const useAreas = (): readonly Area[] => use(AreasContext);
