import { isRecord } from "../../../../kit/json/is-record.ts";
import type { Marks } from "../owner-marks.ts";
import type { AwsApi, AwsService } from "./aws-api.ts";

/* Tags of resources whose APIs have them below `/tags/<ARN>`: agents, aliases, knowledge bases and vector indexes. */

type TaggedService = Extract<AwsService, "agents" | "s3vectors">;

const path = (arn: string) => `/tags/${encodeURIComponent(arn)}`;

export async function readTags(
  api: AwsApi,
  service: TaggedService,
  arn: string,
  signal: AbortSignal,
): Promise<Marks> {
  const answer = await api.call({
    service,
    method: "GET",
    path: path(arn),
    action: `read the tags of ${arn}`,
    signal,
  });
  return isRecord(answer?.tags) ? (answer.tags as Record<string, string>) : {};
}

export async function writeTags(
  api: AwsApi,
  service: TaggedService,
  arn: string,
  { tags, unwanted }: { tags: Marks; unwanted: readonly string[] },
  signal: AbortSignal,
): Promise<void> {
  const action = `tag ${arn}`;
  if (unwanted.length > 0) {
    const query = new URLSearchParams(unwanted.map((key) => ["tagKeys", key]));
    await api.call({ service, method: "DELETE", path: `${path(arn)}?${query}`, action, signal });
  }
  await api.call({ service, method: "POST", path: path(arn), body: { tags: { ...tags } }, action, signal });
}
