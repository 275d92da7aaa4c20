import { isRecord } from "../../../../kit/json/is-record.ts";
import { vectorBucket } from "../../mapping/aws/vector-bucket.ts";
import { refusalError } from "../cloud-call.ts";
import { readTags, writeTags } from "./agent-tags.ts";
import { cloud } from "./aws-api.ts";
import { type AwsKind, pick } from "./aws-kind.ts";

const fields = [
  "vectorBucketName",
  "indexName",
  "dataType",
  "dimension",
  "distanceMetric",
  "metadataConfiguration",
];

/** `s3vectors.index`: the id is its ARN, which knowledge bases name. Amazon has no call that changes an index. */
export const vectorIndexKind: AwsKind = {
  resource_type: "s3vectors.index",
  fixed: fields,

  async list(api, _held, signal) {
    const body = { vectorBucketName: vectorBucket };
    const indexes = await api.list(
      { service: "s3vectors", method: "POST", path: "/ListIndexes", body },
      "indexes",
      signal,
    );
    return indexes.map(({ indexArn }) => String(indexArn));
  },

  async read(api, indexArn, signal) {
    const answer = await api.call({
      service: "s3vectors",
      method: "POST",
      path: "/GetIndex",
      body: { indexArn },
      isRead: true,
      action: `read ${indexArn}`,
      signal,
    });
    if (!isRecord(answer?.index)) return undefined;
    return {
      id: indexArn,
      tags: await readTags(api, "s3vectors", indexArn, signal),
      config: pick(answer.index, fields),
    };
  },

  async create({ api, name, signal }, config, tags) {
    const action = `create ${name}`;
    const body = { ...pick(config, fields), tags };
    const made = await api.call({
      service: "s3vectors",
      method: "POST",
      path: "/CreateIndex",
      body,
      action,
      signal,
    });
    if (typeof made?.indexArn === "string") return made.indexArn;
    const message = `There is no vector bucket ${vectorBucket} in region ${api.region}. Create it in the S3 console.`;
    throw refusalError({ cloud, action, status: 404, code: "NotFoundException", message });
  },

  async update({ api, signal }, indexArn, { tags, unwanted }) {
    await writeTags(api, "s3vectors", indexArn, { tags, unwanted }, signal);
  },

  async delete({ api, name, signal }, indexArn) {
    const call = { service: "s3vectors", method: "POST", path: "/DeleteIndex" } as const;
    await api.call({ ...call, body: { indexArn }, action: `delete ${name}`, signal });
  },
};
