import type { CloudVendor } from "../../contracts/console/session.ts";

/** Path to which a vendor's sign-in page returns. */
const returnPath = "/cloud/sign-in";

const keyOf = (state: string) => `argosy-cloud-sign-in ${state}`;

/** Remembers a sign-in, and the page that needs it, while the browser is on the vendor's page. */
export const keepVendor = (state: string, vendor: CloudVendor): void =>
  sessionStorage.setItem(keyOf(state), `${vendor} ${location.pathname}${location.search}`);

/** A finished visit of a vendor's page. */
export type VendorReturn = { vendor: CloudVendor; code: string; state: string } | { refusal: string };

/**
 * Returns the result of the vendor's page that led here, and restores the address of the page that needed it. A state that this window did not send is ignored,
 * so that a link from another site cannot sign a user in.
 */
export function takeVendorReturn(): VendorReturn | undefined {
  const query = new URLSearchParams(location.search);
  const state = query.get("state");
  if (location.pathname !== returnPath || state === null) return undefined;
  const [vendor, page = returnPath] = sessionStorage.getItem(keyOf(state))?.split(" ") ?? [];
  sessionStorage.removeItem(keyOf(state));
  history.replaceState(history.state, "", page);
  if (vendor !== "google" && vendor !== "github") return undefined;
  const code = query.get("code");
  if (code !== null) return { vendor, code, state };
  return { refusal: query.get("error_description") ?? query.get("error") ?? "" };
}
