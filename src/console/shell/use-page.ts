import { matchRoute, useLocation, useRouter } from "wouter";
import type { Page } from "../page.ts";
import { pages } from "../pages.ts";

/** Returns the page for the address, if there is one. */
export function usePage(): Page | undefined {
  const { parser } = useRouter();
  const [location] = useLocation();
  return pages.find(({ path }) => matchRoute(parser, path, location)[0]);
}
