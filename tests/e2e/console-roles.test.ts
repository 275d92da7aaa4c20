import { expect } from "bun:test";
import { platformClient } from "../../src/contracts/platform/clients/client.ts";
import { type MemberRole, memberRoles } from "../../src/contracts/platform/members.ts";
import {
  accessFaults,
  accessFaultsInBothColors,
  browserMissing,
  keepScreenshot,
  openBrowser,
  showIn,
  visit,
} from "../support/browser.ts";
import { goTo, settled } from "../support/console-page.ts";
import { cutElements } from "../support/cut-elements.ts";
import { executableTest, type ServerProcess, startServer } from "../support/executable.ts";
import { temporaryFolder } from "../support/temp-folder.ts";

const password = "correct horse";
const manifest = (version: string) => `apiVersion: platform/v1
kind: Agent
metadata: {name: clerk}
spec:
  model: {primary: {provider: rehearsal, model: rehearsal}}
  prompts: {system: "You file notes, ${version}."}
  tools: [{name: cache_store, type: builtin, requires_approval: true}]
`;

/** What each page of a tenant offers, with the least role that it is offered to. */
const offered: Readonly<Record<string, Readonly<Record<string, MemberRole>>>> = {
  "/agents": { "New agent": "member", "Ask clerk": "member" },
  "/agents/clerk": { Ask: "member", Edit: "member", Delete: "member", "Find subscription": "member" },
  "/agents/clerk?tab=versions": { "Restore version 1": "member" },
  "/approvals": { Approve: "member", Reject: "member" },
  "/documents": { "Upload documents": "member", "Delete handbook": "member" },
  "/documents/handbook": { "Choose files": "member", "Delete hours": "member" },
  "/connections": { "Add connection": "admin", "Replace crm": "admin", "Delete crm": "admin" },
  "/keys": { "New key": "admin", "Revoke key “shop”": "admin" },
  "/members": { "Invite person": "admin", "Leave tenant": "viewer" },
};
/** Pages that are wholly for people with a right. */
const gated = ["/agents/new", "/agents/clerk/edit", "/agents/clerk/run"];

executableTest(
  "the pages of a tenant offer each role what the server allows it, and say what the rest needs",
  async () => {
    using folder = temporaryFolder();
    await using server = await startServer(folder.path, { services: ["daemon", "platform"] });
    const { tenant, setRole } = await fillTenant(server);
    await using browser = await openBrowser();
    await using opened = await visit(browser, server.urlOf("platform"));
    const { page, complaints } = opened;
    await page.getByLabel("E-mail").fill("bob@example.com");
    await page.getByLabel(/^Password/).fill(password);
    await page.getByRole("button", { name: "Sign in", exact: true }).click();
    await page.getByRole("link", { name: "Ada Ltd" }).first().waitFor();
    const root = `${server.urlOf("platform")}/platform/t/${tenant}`;
    const open = (path: string) => goTo(page, `${root}${path}`);
    /** Gives Bob a role, which the console reads when it is loaded. */
    const takeRole = async (role: MemberRole) => {
      await setRole(role);
      await page.goto(`${root}/agents`);
      await settled(page);
    };
    const main = page.getByRole("main");

    for (const role of memberRoles.filter((one) => one !== "owner")) {
      await takeRole(role);
      const may = (needed: MemberRole) => memberRoles.indexOf(role) >= memberRoles.indexOf(needed);
      for (const [path, controls] of Object.entries(offered)) {
        await open(path);
        const shown = [];
        for (const name of Object.keys(controls)) {
          const [button, link] = (["button", "link"] as const).map((kind) =>
            main.getByRole(kind, { name, exact: true }),
          );
          if (((await button?.count()) ?? 0) + ((await link?.count()) ?? 0) > 0) shown.push(name);
        }
        const allowed = Object.entries(controls).filter(([, needed]) => may(needed));
        expect([role, path, shown]).toEqual([role, path, allowed.map(([name]) => name)]);
        const missing = Object.values(controls).some((needed) => !may(needed));
        expect([path, await main.getByRole("note").count()]).toEqual([path, missing ? 1 : 0]);
        // The other roles see more of what the walk of console-pages.test.ts checks.
        if (role === "viewer") {
          expect(await cutElements(page)).toEqual([]);
          expect(await accessFaults(page)).toEqual([]);
          await keepScreenshot(page, `roles-viewer${path.replaceAll(/\W/g, "-")}`);
        }
      }
      for (const path of gated) {
        await open(path);
        const heading = main.getByRole("heading", { level: 1, name: "Your role is not enough" });
        expect([role, path, await heading.count()]).toEqual([role, path, may("member") ? 0 : 1]);
      }
      // The browser reports each refused request, so no page has sent one.
      expect([role, complaints]).toEqual([role, []]);
    }

    await takeRole("viewer");
    await open("/agents/new");
    await main.getByText("To change or run agents, you need the role Member or higher.").waitFor();
    expect(await accessFaultsInBothColors(page)).toEqual([]);
    await keepScreenshot(page, "roles-gate-light");
    await open("/keys");
    await showIn(page, "dark");
    await keepScreenshot(page, "roles-keys-dark");
    await page.setViewportSize({ width: 360, height: 740 });
    expect(await cutElements(page)).toEqual([]);
    await keepScreenshot(page, "roles-keys-narrow");
  },
  browserMissing,
);

/** A tenant of Ada with one of everything, in which Bob gets roles. */
async function fillTenant(server: ServerProcess) {
  const address = { fetch: (request: Request) => fetch(request), baseUrl: server.urlOf("platform") };
  const tokenOf = async (name: string) => {
    const account = { email: `${name}@example.com`, password, displayName: name };
    return (await platformClient(address).register(account)).accessToken;
  };
  const accessToken = await tokenOf("ada");
  const bob = platformClient({ ...address, accessToken: await tokenOf("bob") });
  const { id: tenant } = await platformClient({ ...address, accessToken }).createTenant("Ada Ltd");
  const ada = platformClient({ ...address, accessToken, tenantId: tenant });
  const { token } = await ada.inviteMember(tenant, { email: "bob@example.com", role: "viewer" });
  await bob.acceptInvitation(token);
  const joined = (await ada.listMembers(tenant)).members.find(({ role }) => role === "viewer");
  await ada.createAgent(manifest("first"));
  await ada.updateAgent("clerk", manifest("second"));
  await ada.run("clerk", { query: 'set key "gate" to "open" in the cache' });
  await ada.putConnection("crm", { base_url: "https://crm.example.com", material: { token: "a secret" } });
  await ada.createKey(tenant, "shop");
  await ada.putDocument("handbook", "hours", {
    bytes: new TextEncoder().encode("The shop opens at nine."),
    name: "hours.md",
  });
  const setRole = (role: MemberRole) => ada.changeRole(tenant, joined?.user_id ?? "", role);
  return { tenant, setRole };
}
