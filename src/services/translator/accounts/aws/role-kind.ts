import { PageTokens } from "../cloud-call.ts";
import { asUnfinished } from "../owner-marks.ts";
import type { AwsApi } from "./aws-api.ts";
import { type AwsKind, type AwsWork, pick } from "./aws-kind.ts";
import type { XmlElement } from "./query-answer.ts";

const policyName = "argosy-bedrock";

/** Actions that agents and knowledge bases perform under a role. */
const policy = JSON.stringify({
  Version: "2012-10-17",
  Statement: [
    {
      Effect: "Allow",
      Action: ["bedrock:InvokeModel", "bedrock:InvokeModelWithResponseStream"],
      Resource: ["arn:aws:bedrock:*::foundation-model/*", "arn:aws:bedrock:*:*:inference-profile/*"],
    },
    {
      Effect: "Allow",
      Action: ["bedrock:ApplyGuardrail", "bedrock:Retrieve"],
      Resource: ["arn:aws:bedrock:*:*:guardrail/*", "arn:aws:bedrock:*:*:knowledge-base/*"],
      Condition: { StringEquals: { "aws:ResourceTag/managed-by": "argosy" } },
    },
    {
      Effect: "Allow",
      Action: ["GetIndex", "QueryVectors", "GetVectors", "PutVectors", "DeleteVectors", "ListVectors"].map(
        (action) => `s3vectors:${action}`,
      ),
      Resource: ["arn:aws:s3vectors:*:*:bucket/argosy-vectors/index/*"],
    },
  ],
});

const nameOf = (arn: string) => arn.slice(arn.lastIndexOf("/") + 1);

/** `iam.role`: the id is its ARN, which agents and knowledge bases name. */
export const roleKind: AwsKind = {
  resource_type: "iam.role",
  fixed: ["RoleName", "Path"],

  async list(api, _held, signal) {
    const arns: string[] = [];
    const tokens = new PageTokens();
    for (let marker = ""; ; ) {
      const parameters = {
        PathPrefix: "/argosy/",
        MaxItems: "100",
        ...(marker !== "" && { Marker: marker }),
      };
      const page = await api.callIam("ListRoles", parameters, "list roles", signal);
      arns.push(...(page?.members("Roles") ?? []).map((role) => textOf(role, "Arn")));
      if (page === undefined || textOf(page, "IsTruncated") !== "true") return arns;
      const next = tokens.next(textOf(page, "Marker"), "list roles");
      if (next === undefined) return arns;
      marker = next;
    }
  },

  async read(api, id, signal) {
    const answer = await api.callIam("GetRole", { RoleName: nameOf(id) }, `read ${nameOf(id)}`, signal);
    const role = answer?.find("Role");
    if (role === undefined) return undefined;
    const tags = role.members("Tags").map((tag) => [textOf(tag, "Key"), textOf(tag, "Value")]);
    return {
      id: textOf(role, "Arn"),
      tags: Object.fromEntries(tags) as Record<string, string>,
      config: {
        RoleName: textOf(role, "RoleName"),
        Path: textOf(role, "Path"),
        AssumeRolePolicyDocument: sameSpelling(decodeURIComponent(textOf(role, "AssumeRolePolicyDocument"))),
      },
    };
  },

  async create(work, config, tags) {
    const { api, name, signal } = work;
    const parameters = pick(config, ["RoleName", "Path", "AssumeRolePolicyDocument"]) as Record<
      string,
      string
    >;
    const action = `create ${name}`;
    const body = { ...parameters, ...tagParameters(asUnfinished(tags)) };
    const made = await api.callIam("CreateRole", body, action, signal);
    const RoleName = String(config.RoleName);
    await putPolicy(work, RoleName);
    await tagRole(api, RoleName, tags, [], action, signal);
    return textOf(made?.find("Role"), "Arn");
  },

  async update(work, id, { config, tags, unwanted }) {
    const { api, name, signal } = work;
    const RoleName = nameOf(id);
    const action = `change ${name}`;
    const PolicyDocument = String(config.AssumeRolePolicyDocument);
    await api.callIam("UpdateAssumeRolePolicy", { RoleName, PolicyDocument }, action, signal);
    await putPolicy(work, RoleName);
    await tagRole(api, RoleName, tags, unwanted, action, signal);
  },

  async delete({ api, name, signal }, id) {
    const RoleName = nameOf(id);
    const action = `delete ${name}`;
    await api.callIam("DeleteRolePolicy", { RoleName, PolicyName: policyName }, action, signal);
    await api.callIam("DeleteRole", { RoleName }, action, signal);
  },
};

async function putPolicy({ api, name, signal }: AwsWork, RoleName: string): Promise<void> {
  const parameters = { RoleName, PolicyName: policyName, PolicyDocument: policy };
  await api.callIam("PutRolePolicy", parameters, `give rights to ${name}`, signal);
}

async function tagRole(
  api: AwsApi,
  RoleName: string,
  tags: Readonly<Record<string, string>>,
  unwanted: readonly string[],
  action: string,
  signal: AbortSignal,
): Promise<void> {
  if (unwanted.length > 0) {
    const keys = Object.fromEntries(unwanted.map((key, index) => [`TagKeys.member.${index + 1}`, key]));
    await api.callIam("UntagRole", { RoleName, ...keys }, action, signal);
  }
  await api.callIam("TagRole", { RoleName, ...tagParameters(tags) }, action, signal);
}

const tagParameters = (tags: Readonly<Record<string, string>>): Record<string, string> =>
  Object.fromEntries(
    Object.entries(tags).flatMap(([key, value], index) => [
      [`Tags.member.${index + 1}.Key`, key],
      [`Tags.member.${index + 1}.Value`, value],
    ]),
  );

/** IAM keeps a policy's text as it was sent; one written by hand is compared by what it says. */
function sameSpelling(policyText: string): string {
  try {
    return JSON.stringify(JSON.parse(policyText));
  } catch {
    return policyText;
  }
}

const textOf = (element: XmlElement | undefined, name: string): string =>
  element?.find(name)?.text.trim() ?? "";
