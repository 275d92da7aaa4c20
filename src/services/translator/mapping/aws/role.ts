import type { JsonObject } from "../section-table.ts";
import { shortName } from "./bedrock-names.ts";

export const roleType = "iam.role";

/** The body of a role that Bedrock may take on. IAM takes its policy as text. */
export const bedrockRole = (name: string): JsonObject => ({
  RoleName: shortName(name, 64),
  Path: "/argosy/",
  AssumeRolePolicyDocument: JSON.stringify({
    Version: "2012-10-17",
    Statement: [
      { Effect: "Allow", Principal: { Service: "bedrock.amazonaws.com" }, Action: "sts:AssumeRole" },
    ],
  }),
});
