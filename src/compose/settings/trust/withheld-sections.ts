import { isRecord } from "../../../kit/json/is-record.ts";
import { variablesIn } from "../../../manifest/yaml/variables.ts";

type Sections = Record<string, unknown>;

/** A file of a workspace without the sections that would get variables of this user. */
export interface WithheldSections {
  rest: Sections;
  /** Paths of the sections left out, such as `providers.acme`. */
  left: string[];
}

/** Variables with secrets that a setting sends to the address it names, by the path of the section and of the address in it. */
const implied: readonly {
  section: string;
  address: string | undefined;
  variables: readonly string[];
}[] = [
  { section: "spec.peers", address: undefined, variables: ["PLATFORM_MESH_SECRET"] },
  { section: "spec.mesh", address: undefined, variables: ["PLATFORM_MESH_SECRET"] },
  { section: "spec.platform", address: "runtime_url", variables: ["PLATFORM_RUNTIME_TOKEN"] },
  {
    section: "channels.phone_messenger",
    address: "api_base_url",
    variables: [
      "CHANNEL_VERIFY_TOKEN",
      "CHANNEL_ACCESS_TOKEN",
      "CHANNEL_PHONE_NUMBER_ID",
      "CHANNEL_APP_SECRET",
    ],
  },
];

/**
 * Leaves out the sections of a file that read variables, or that send the secrets of variables to addresses of their own. Sections are the
 * entries on the second level.
 */
export function withholdSections(file: Sections, isSet: (variable: string) => boolean): WithheldSections {
  const rest: Sections = {};
  const left: string[] = [];
  for (const [root, sections] of Object.entries(file)) {
    if (!isRecord(sections)) {
      if (readsVariables(sections)) left.push(root);
      else rest[root] = sections;
      continue;
    }
    const kept = Object.entries(sections).filter(([name, section]) => {
      const isKept = !readsVariables({ [name]: section }) && !sendsSecrets(`${root}.${name}`, section, isSet);
      if (!isKept) left.push(`${root}.${name}`);
      return isKept;
    });
    rest[root] = Object.fromEntries(kept);
  }
  return { rest, left };
}

/** True if a text anywhere in the value reads a variable. */
export function readsVariables(root: unknown): boolean {
  const open: unknown[] = [root];
  for (let value = open.pop(); value !== undefined; value = open.pop()) {
    if (typeof value === "string" && variablesIn(value).length > 0) return true;
    if (typeof value !== "object" || value === null) continue;
    for (const [key, inner] of Object.entries(value)) open.push(key, inner ?? "");
  }
  return false;
}

function sendsSecrets(path: string, section: unknown, isSet: (variable: string) => boolean): boolean {
  if (path === "spec.translator") return namesAccountAddress(section);
  return implied.some(
    ({ section: name, address, variables }) =>
      name === path &&
      (address === undefined || (isRecord(section) && section[address] !== undefined)) &&
      variables.some(isSet),
  );
}

/** Accounts whose credentials of the environment go to an address in place of the cloud's own. */
function namesAccountAddress(section: unknown): boolean {
  const accounts = isRecord(section) && isRecord(section.accounts) ? Object.values(section.accounts) : [];
  return accounts.some(
    (account) => isRecord(account) && account.endpoint !== undefined && account.credentials_env !== undefined,
  );
}
