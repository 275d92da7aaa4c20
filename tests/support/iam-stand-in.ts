import { bodyFault } from "./published-body.ts";

/** A role that a stand-in of IAM holds. */
export interface IamRole {
  RoleName: string;
  Path: string;
  AssumeRolePolicyDocument: string;
  tags: Record<string, string>;
  policies: Record<string, string>;
  /** Calls of other services that named it. */
  looks: number;
}

const pageMax = 1;

const escaped = (text: string) =>
  text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;").replaceAll('"', "&quot;");

/** Answers an action of IAM in the form of its query protocol. Roles are held by ARN. */
export function iamAnswer(
  roles: Map<string, IamRole>,
  form: Record<string, string>,
  account: string,
): Response {
  const { Action = "", Version, ...fields } = form;
  if (Version !== "2010-05-08") return refusal(400, "InvalidAction", "Could not find operation.");
  const ok = (result = "") =>
    new Response(
      `<?xml version="1.0"?>\n<${Action}Response xmlns="https://iam.amazonaws.com/doc/2010-05-08/">\n  <${Action}Result>${result}</${Action}Result>\n  <ResponseMetadata><RequestId>r</RequestId></ResponseMetadata>\n</${Action}Response>`,
      { headers: { "content-type": "text/xml" } },
    );
  const entry = [...roles].find(([, role]) => role.RoleName === fields.RoleName);
  if (["CreateRole", "UpdateAssumeRolePolicy", "PutRolePolicy"].includes(Action)) {
    const fault = bodyFault(`iam/${Action}`, fields);
    if (fault !== undefined) return refusal(400, "ValidationError", escaped(fault));
  }
  if (Action === "ListRoles") {
    const all = [...roles].filter(([, { Path }]) => Path.startsWith(fields.PathPrefix ?? "/"));
    const from = Number(fields.Marker ?? 0);
    const next = from + pageMax;
    const more =
      next < all.length
        ? `<IsTruncated>true</IsTruncated><Marker>${next}</Marker>`
        : "<IsTruncated>false</IsTruncated>";
    return ok(
      `<Roles>${all
        .slice(from, next)
        .map(([arn, role]) => `<member>${described(arn, role)}</member>`)
        .join("")}</Roles>${more}`,
    );
  }
  if (Action === "CreateRole") {
    if (entry !== undefined)
      return refusal(409, "EntityAlreadyExists", `Role with name ${fields.RoleName} already exists.`);
    const { RoleName = "", Path = "/", AssumeRolePolicyDocument = "" } = fields;
    const arn = `arn:aws:iam::${account}:role${Path}${RoleName}`;
    const role = { RoleName, Path, AssumeRolePolicyDocument, tags: tagsIn(fields), policies: {}, looks: 0 };
    roles.set(arn, role);
    return ok(`<Role>${described(arn, role)}</Role>`);
  }
  if (entry === undefined)
    return refusal(404, "NoSuchEntity", `The role with name ${fields.RoleName} cannot be found.`);
  const [arn, role] = entry;
  if (Action === "GetRole") return ok(`<Role>${described(arn, role, true)}</Role>`);
  if (Action === "UpdateAssumeRolePolicy") role.AssumeRolePolicyDocument = fields.PolicyDocument ?? "";
  else if (Action === "PutRolePolicy") role.policies[fields.PolicyName ?? ""] = fields.PolicyDocument ?? "";
  else if (Action === "DeleteRolePolicy") {
    if (!((fields.PolicyName ?? "") in role.policies))
      return refusal(404, "NoSuchEntity", "The role policy cannot be found.");
    delete role.policies[fields.PolicyName ?? ""];
  } else if (Action === "TagRole") Object.assign(role.tags, tagsIn(fields));
  else if (Action === "UntagRole")
    for (const [key, value] of Object.entries(fields))
      if (key.startsWith("TagKeys.")) delete role.tags[value];
  if (Action === "DeleteRole") {
    if (Object.keys(role.policies).length > 0)
      return refusal(409, "DeleteConflict", "Cannot delete entity, must delete policies first.");
    roles.delete(arn);
  }
  return ok();
}

function described(
  arn: string,
  { RoleName, Path, AssumeRolePolicyDocument, tags }: IamRole,
  withTags = false,
): string {
  const members = Object.entries(tags).map(
    ([key, value]) => `<member><Key>${escaped(key)}</Key><Value>${escaped(value)}</Value></member>`,
  );
  return `<Arn>${arn}</Arn><RoleName>${RoleName}</RoleName><Path>${Path}</Path><AssumeRolePolicyDocument>${encodeURIComponent(AssumeRolePolicyDocument)}</AssumeRolePolicyDocument>${withTags ? `<Tags>${members.join("")}</Tags>` : ""}`;
}

function tagsIn(fields: Record<string, string>): Record<string, string> {
  const numbers = Object.keys(fields).flatMap((key) => /^Tags\.member\.(\d+)\.Key$/.exec(key)?.[1] ?? []);
  return Object.fromEntries(
    numbers.map((number) => [
      fields[`Tags.member.${number}.Key`] ?? "",
      fields[`Tags.member.${number}.Value`] ?? "",
    ]),
  );
}

const refusal = (status: number, code: string, message: string) =>
  new Response(
    `<ErrorResponse xmlns="https://iam.amazonaws.com/doc/2010-05-08/"><Error><Type>Sender</Type><Code>${code}</Code><Message>${message}</Message></Error></ErrorResponse>`,
    { status },
  );
