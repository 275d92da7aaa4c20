import { createHash, createHmac } from "node:crypto";

/** The keys that a stand-in knows. */
export interface AwsKeys {
  accessKeyId: string;
  secretAccessKey: string;
}

const sha256 = (text: string) => createHash("sha256").update(text).digest("hex");
const hmac = (key: string | Buffer, text: string) => createHmac("sha256", key).update(text).digest();
const encoded = (text: string) =>
  encodeURIComponent(text).replaceAll(
    /[!'()*]/g,
    (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`,
  );

/** Returns the service and region that a request is signed for by Signature Version 4; undefined if its signature is wrong. */
export function signedFor(
  request: Request,
  body: string,
  { accessKeyId, secretAccessKey }: AwsKeys,
): { service: string; region: string } | undefined {
  const header = request.headers.get("authorization") ?? "";
  const [, id, date = "", region = "", service = "", names = "", signature] =
    /^AWS4-HMAC-SHA256 Credential=([^/]+)\/(\d{8})\/([^/]+)\/([^/]+)\/aws4_request, SignedHeaders=([^,]+), Signature=([0-9a-f]{64})$/.exec(
      header,
    ) ?? [];
  const time = request.headers.get("x-amz-date") ?? "";
  if (id !== accessKeyId || !time.startsWith(date)) return undefined;
  const url = new URL(request.url);
  // Outside S3, the path is encoded once more.
  const path = url.pathname.split("/").map(encoded).join("/");
  const query = [...url.searchParams]
    .map(([key, value]) => `${encoded(key)}=${encoded(value)}`)
    .sort()
    .join("&");
  const headers = names
    .split(";")
    .map((name) => `${name}:${(request.headers.get(name) ?? "").trim()}\n`)
    .join("");
  const canonical = [request.method, path, query, headers, names, sha256(body)].join("\n");
  const scope = `${date}/${region}/${service}/aws4_request`;
  const text = ["AWS4-HMAC-SHA256", time, scope, sha256(canonical)].join("\n");
  const key = [date, region, service, "aws4_request"].reduce<string | Buffer>(hmac, `AWS4${secretAccessKey}`);
  const isRight = hmac(key, text).toString("hex") === signature && names.split(";").includes("host");
  return isRight ? { service, region } : undefined;
}
