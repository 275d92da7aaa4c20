import type { OrgAgentStatus } from "../../../contracts/cloud/agents.ts";
import type { OrgMemberRole } from "../../../contracts/cloud/orgs.ts";
import { isolated } from "../isolated.ts";

/** Texts of the cloud in the frame, and those that its pages share. */
export const cloudTexts = {
  title: "Cloud",
  build: "Build",
  manage: "Org",
  agents: "Agents",
  evals: "Evals",
  usage: "Usage",
  keys: "API keys",
  providers: "Provider keys",
  members: "Members",
  audit: "Audit",
  signIn: "Sign in to the cloud",
  ownAccount: "Your account in the cloud",
  another: "Switch cloud account",
};

/** Texts of the sign-in, of the org switcher, and of an org that is not found. */
export const orgTexts = {
  title: "Cloud",
  lead: "Build agents in five steps, deploy them with your org's own provider keys, and call them over HTTP.",
  signedInAs: (email: string) => `Signed in as ${isolated(email)}. Sign in again to use another account.`,
  notSignedIn: "Sign-in failed",
  switcher: (name: string) => `Org: ${isolated(name)}`,
  switchTo: "Switch to",
  choose: "Choose an org",
  missingTitle: "Org not found",
  missing: "The org does not exist, or you are not a member of it.",
  toOwn: "Go to your org",
  invited: (org: string, role: OrgMemberRole) => `You are invited to ${isolated(org)} as ${role}.`,
  decline: "Decline",
  declined: (org: string) => `You declined the invitation to ${isolated(org)}.`,
  noOrgTitle: "No org",
  noOrg: "You are in no org. Create one, or accept an invitation.",
  create: "New org",
  createTitle: "Create an org",
  createAction: "Create org",
  displayName: "Display name",
  displayNameHint: "You are its owner. Its address is derived from this name and does not change.",
  created: (org: string) => `${isolated(org)} was created.`,
  accept: "Accept invitation",
  accepted: (org: string) => `You joined ${isolated(org)}.`,
};

export const agentStatusTexts: Readonly<Record<OrgAgentStatus, string>> = {
  draft: "Draft",
  deployed: "Deployed",
  paused: "Paused",
};

export const roleTexts: Readonly<Record<OrgMemberRole, string>> = {
  owner: "Owner",
  admin: "Admin",
  member: "Member",
};
