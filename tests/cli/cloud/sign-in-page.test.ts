import { afterAll, beforeAll, expect, test } from "bun:test";
import { builtParts } from "../../../src/command/parts.ts";
import { loadConfig } from "../../../src/compose/load-config.ts";
import { type RunningArgosy, startArgosy } from "../../../src/compose/start.ts";
import { silentLogger } from "../../../src/kit/log.ts";
import {
  type IdentityStandIns,
  startIdentityStandIns,
} from "../../services/cloud/auth/identity-stand-ins.ts";
import { temporaryFolder } from "../../support/temp-folder.ts";
import { type Said, say } from "../recording-shell.ts";

// The terminal has no browser: the command prints a page, and the vendor sends the browser back to an address of the command.
const here = temporaryFolder();
const there = temporaryFolder();
const variables: Record<string, string> = {};
let vendors: IdentityStandIns;
let elsewhere: RunningArgosy;

const configOf = (workspace: string) => ({
  ...loadConfig({ workspace, port: "0", services: "daemon,cloud" }),
  access: { allowedHosts: [], insecureOpen: false },
  models: { autoConfigure: false, rehearse: false },
  variable: (name: string) => variables[name],
});

beforeAll(async () => {
  vendors = startIdentityStandIns(() => new Date());
  const { google, github } = vendors.settings;
  const config = configOf(there.path);
  const cloud = {
    ...config.cloud,
    ...(google && { google: { ...google, clientSecret: "google-secret", issuer: google.issuers[0] ?? "" } }),
    ...(github && { github }),
  };
  elsewhere = await startArgosy({ ...config, cloud }, { log: silentLogger });
  variables.ARGOSY_CLOUD_URL = elsewhere.services.find(({ name }) => name === "cloud")?.url ?? "";
});

afterAll(async () => {
  await elsewhere.stop();
  await vendors[Symbol.asyncDispose]();
  here[Symbol.dispose]();
  there[Symbol.dispose]();
});

/** Runs the command, and hands the address that it prints to `browser`. */
async function signIn(vendor: "google" | "github", browser: (page: string) => Promise<void>): Promise<Said> {
  const opened = Promise.withResolvers<void>();
  let shown = "";
  let isOpened = false;
  const said = say(["cloud", "login", `--${vendor}`], {
    folder: here.path,
    parts: { ...builtParts, loadConfig: async () => configOf(here.path) },
    shown(text) {
      shown += text;
      const page = /^(http\S+)\n/m.exec(shown)?.[1];
      if (page === undefined || isOpened) return;
      isOpened = true;
      browser(page).then(opened.resolve, opened.reject);
    },
  });
  await opened.promise;
  return said;
}

const back = async (redirectUri: string, query: Record<string, string>) =>
  (await fetch(`${redirectUri}?${new URLSearchParams(query)}`)).status;

for (const vendor of ["google", "github"] as const) {
  test(`--${vendor} signs in on the vendor's page`, async () => {
    const account = { subject: `${vendor}-1`, email: `${vendor}@example.com` };
    const said = await signIn(vendor, async (page) => {
      const { code, state, redirectUri } = vendors.approve(page, account);
      // Other pages of the browser may call the address. They neither sign in nor end the sign-in.
      expect(await back(redirectUri, { code, state: "of-another" })).toBe(400);
      expect(await back(redirectUri, { error: "access_denied" })).toBe(400);
      expect(await back(redirectUri, {})).toBe(400);
      expect(await back(redirectUri, { code, state })).toBe(200);
    });
    expect(said.stderr).toEndWith(`Signed in to the org ${vendor}.\n`);
    expect(said.code).toBe(0);
    const orgs = await say(["cloud", "orgs", "--json"], {
      folder: here.path,
      parts: { ...builtParts, loadConfig: async () => configOf(here.path) },
    });
    expect(JSON.parse(orgs.stdout).orgs).toMatchObject([{ slug: vendor }]);
  });

  test(`--${vendor} ends when the person declines`, async () => {
    const said = await signIn(vendor, async (page) => {
      const { state, redirectUri } = vendors.approve(page, { subject: "x", email: "x@example.com" });
      expect(await back(redirectUri, { error: "access_denied", state })).toBe(200);
    });
    expect(said.code).toBe(1);
    expect(said.stderr).toContain("did not confirm the sign-in: access_denied.");
  });
}

test("a code that the vendor does not know is refused, and no session is kept", async () => {
  const said = await signIn("google", async (page) => {
    const { state, redirectUri } = vendors.approve(page, { subject: "y", email: "y@example.com" });
    expect(await back(redirectUri, { code: "forged", state })).toBe(200);
  });
  expect(said.code).toBe(1);
  expect(said.stderr).toContain("does not confirm this sign-in");
});
